// A node of the cluster in namespaces of its own: containerd, kubelet, kube-proxy and the cluster's DNS.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { stringify } from 'yaml'
import { until } from '@connectivity/toolkit/until'
import { environmentWith } from '@connectivity/toolkit/config'
import { programsFirst } from '../config.ts'
import { fileIn, folderIn } from '../files.ts'
import type { Kubectl } from '../kubectl.ts'
import { SANDBOX } from './images.ts'
import { ADDRESS, PODS } from './network.ts'

const NODE = 'node'
const DOMAIN = 'cluster.local'
const READY_WITHIN = 120_000
const EVERY = 250

/** Plugins of the pods' network, which containerd calls. */
const NETWORK_PLUGINS = ['bridge', 'loopback', 'host-local'] as const
const CONTAINERD_PROGRAMS = ['containerd', 'containerd-shim-runc-v2', 'ctr'] as const
/** Go programs that a node consists of. */
export const NODE_PROGRAMS = ['kubelet', 'kube-proxy', 'coredns', ...CONTAINERD_PROGRAMS, ...NETWORK_PLUGINS] as const

export class ClusterNode {
  private readonly dir: string
  private readonly kubeconfig: string

  /**
   * @param dir folder for everything that it writes, of which a control group at the top of each hierarchy has the name
   * @param kubeconfig file with an administrator's access
   */
  constructor(dir: string, kubeconfig: string) {
    this.dir = dir
    this.kubeconfig = kubeconfig
  }

  /** Starts the node with the images in an archive; resolves when it is ready for pods. */
  async start(kubectl: Kubectl, images: string): Promise<void> {
    await this.linkPrograms()
    await this.startDns()
    await this.startContainerd(images)
    this.run('kubelet', [
      `--config=${fileIn(this.dir, 'kubelet.yaml', stringify(this.kubeletSettings()))}`,
      `--kubeconfig=${this.kubeconfig}`,
      `--root-dir=${folderIn(this.dir, 'kubelet')}`,
      `--cert-dir=${folderIn(this.dir, 'kubelet-certificates')}`,
      `--hostname-override=${NODE}`,
      `--node-ip=${ADDRESS}`,
    ])
    await this.until('the node does not register', () => kubectl.succeeds(['get', 'node', NODE]))
    this.run('kube-proxy', [
      `--kubeconfig=${this.kubeconfig}`,
      '--proxy-mode=iptables',
      `--cluster-cidr=${PODS}`,
      `--hostname-override=${NODE}`,
      // Limits of the whole system stay as they are.
      '--conntrack-max-per-core=0',
      '--conntrack-tcp-timeout-established=0',
      '--conntrack-tcp-timeout-close-wait=0',
    ])
    kubectl.must(['wait', '--for=condition=ready', `node/${NODE}`, '--timeout=120s'])
  }

  private get programs(): string {
    return folderIn(this.dir, 'programs')
  }

  private get socket(): string {
    return join(this.dir, 'containerd.sock')
  }

  private until(complaint: string, check: () => boolean): Promise<unknown> {
    return until(check, {
      within: READY_WITHIN,
      every: EVERY,
      complaint: () => `${complaint} within ${READY_WITHIN / 1000} s`,
    })
  }

  private async linkPrograms(): Promise<void> {
    for (const name of NODE_PROGRAMS) symlinkSync(await goProgram(name), join(this.programs, name))
  }

  private run(name: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(this.dir, `${name}.log`), 'a')
    return spawn(join(this.programs, name), args, {
      stdio: ['ignore', log, log],
      cwd: this.dir,
      env: programsFirst(this.programs),
    })
  }

  /** DNS for pods: names of services. */
  private async startDns(): Promise<void> {
    const lines = [
      `bind ${ADDRESS}`,
      'errors',
      'cache 1',
      `kubernetes ${DOMAIN} in-addr.arpa {`,
      `kubeconfig ${this.kubeconfig}`,
      '}',
    ]
    this.run('coredns', ['-conf', fileIn(this.dir, 'Corefile', `.:53 {\n${lines.join('\n')}\n}\n`)])
  }

  private async startContainerd(images: string): Promise<void> {
    this.run('containerd', ['--config', fileIn(this.dir, 'containerd.toml', this.containerdSettings())])
    await this.until('containerd does not answer', () => existsSync(this.socket))
    const imports = ['--address', this.socket, '--namespace', 'k8s.io', 'images', 'import', images]
    execFileSync(join(this.programs, 'ctr'), imports, { env: environmentWith({}), stdio: 'pipe' })
  }

  private containerdSettings(): string {
    const network = folderIn(this.dir, 'network')
    writeFileSync(join(network, 'node.conflist'), JSON.stringify(this.networkSettings()))
    const cri = "plugins.'io.containerd.cri.v1"
    const sections: [section: string, ...lines: string[]][] = [
      ['grpc', `address = '${this.socket}'`],
      ["plugins.'io.containerd.internal.v1.opt'", `path = '${folderIn(this.dir, 'opt')}'`],
      [`${cri}.images'`, `snapshotter = 'overlayfs'`],
      [`${cri}.images'.pinned_images`, `sandbox = '${SANDBOX}'`],
      // Root of a virtual machine or container may not be allowed to protect a process from the system's memory killer.
      [`${cri}.runtime'`, 'restrict_oom_score_adj = true'],
      [`${cri}.runtime'.cni`, `bin_dirs = ['${this.programs}']`, `conf_dir = '${network}'`],
      [`${cri}.runtime'.containerd.runtimes.runc`, `runtime_type = 'io.containerd.runc.v2'`],
      [`${cri}.runtime'.containerd.runtimes.runc.options`, 'SystemdCgroup = false'],
    ]
    return [
      'version = 3',
      `root = '${folderIn(this.dir, 'containerd')}'`,
      `state = '${folderIn(this.dir, 'containerd-state')}'`,
      ...sections.flatMap(([section, ...lines]) => [`[${section}]`, ...lines]),
      '',
    ].join('\n')
  }

  /** Network of pods: a bridge to the node. */
  private networkSettings(): object {
    return {
      cniVersion: '1.0.0',
      name: 'pods',
      plugins: [
        {
          type: 'bridge',
          bridge: 'pods0',
          isGateway: true,
          ipMasq: false,
          hairpinMode: true,
          ipam: {
            type: 'host-local',
            dataDir: folderIn(this.dir, 'addresses'),
            ranges: [[{ subnet: PODS }]],
            routes: [{ dst: '0.0.0.0/0' }],
          },
        },
      ],
    }
  }

  private kubeletSettings(): object {
    return {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      // Nobody else is in this network.
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      address: ADDRESS,
      cgroupDriver: 'cgroupfs',
      cgroupRoot: `/${basename(this.dir)}`,
      failCgroupV1: false,
      failSwapOn: false,
      clusterDNS: [ADDRESS],
      clusterDomain: DOMAIN,
      containerRuntimeEndpoint: `unix://${this.socket}`,
      resolvConf: fileIn(this.dir, 'resolv.conf', ''),
      podLogsDir: folderIn(this.dir, 'pod-logs'),
      volumePluginDir: folderIn(this.dir, 'volume-plugins'),
      localStorageCapacityIsolation: false,
      evictionHard: { 'memory.available': '100Mi' },
      imageGCHighThresholdPercent: 100,
      maxPods: 80,
    }
  }
}
