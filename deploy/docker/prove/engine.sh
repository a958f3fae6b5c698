#!/bin/sh
# Runs Debian's Docker engine in a root folder made by debootstrap; engine.mjs starts this, as root, in a mount and a
# process namespace of its own, and everything in here ends with it. The engine also gets a network of its own (its
# bridges, rules and ports are not the machine's), which slirp4netns connects to the outside.
# $1: the root folder. The others: folders of the machine that it sees under the same paths.
set -eu
root=$1
shift

mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mkdir "$root/run/machine" "$root/run/cgroup"
mount --rbind /sys/fs/cgroup "$root/run/cgroup"
for shared in "$@"; do
  mkdir -p "$root$shared"
  mount --bind "$shared" "$root$shared"
done
cp /etc/resolv.conf "$root/etc/resolv.conf"

cat >"$root/run/start" <<'SH'
set -eu
umount --lazy /run/machine
unshare --net --mount sh /run/start-engine &
until [ -s /run/engine.pid ]; do sleep 0.1; done
slirp4netns --configure --mtu=65520 --disable-host-loopback --ready-fd=3 "$(cat /run/engine.pid)" tap0 3>/run/connected &
wait
SH

cat >"$root/run/start-engine" <<'SH'
set -eu
mount -t sysfs sysfs /sys
mount --rbind /run/cgroup /sys/fs/cgroup
echo $$ >/run/engine.pid
until [ -s /run/connected ]; do sleep 0.1; done
ip link set lo up
exec dockerd --host unix:///run/docker.sock --pidfile /run/docker.pid
SH

# Not chroot alone: what enters a container's mount namespace stands at the root of that namespace, and with chroot this
# would be the machine's.
cd "$root"
pivot_root . run/machine
exec chroot . sh /run/start
