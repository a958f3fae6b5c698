#!/bin/bash
# Kafka's own asks the broker what it knows; its class is in no jar of ours, so this one sees whether the port is open.
address=$2
exec 3<>"/dev/tcp/${address%:*}/${address##*:}"
