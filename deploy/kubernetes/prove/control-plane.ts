// A Kubernetes control plane as child processes, on free loopback ports and in a folder that is removed with it: etcd,
// API server, controller manager, and the scheduler if the cluster has a node. Without a node, pods are created,
// admitted, and stay pending.
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { stringify } from 'yaml'
import { freePort } from '../../local/machine/ports.ts'
import { until } from '@connectivity/toolkit/until'
import { fileIn, folderIn } from './files.ts'
import { Kubectl } from './kubectl.ts'

/** Go programs that a control plane consists of, and kubectl. */
export const CONTROL_PLANE_PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
] as const

const READY_WITHIN = 120_000
const CONTROLLERS = [
  'namespace',
  'serviceaccount',
  'resourcequota',
  'deployment',
  'replicaset',
  'job',
  'disruption',
  'garbage-collector',
]
const CONTROLLERS_OF_NODES = [
  'node-lifecycle',
  'taint-eviction',
  'endpointslice',
  'persistentvolume-binder',
  'root-ca-certificate-publisher',
]

/** A running control plane. */
export class ControlPlane {
  private readonly dir = mkdtempSync(join(tmpdir(), 'kubernetes-prove-'))
  private readonly processes: ChildProcess[] = []
  private readonly token = randomBytes(18).toString('hex')
  private readonly nodeAddress: string | undefined

  private constructor(nodeAddress?: string) {
    this.nodeAddress = nodeAddress
  }

  /**
   * Builds the programs that are missing and starts them.
   * @param nodeAddress of a node of the cluster, if it will have one
   */
  static async start(nodeAddress?: string): Promise<{ plane: ControlPlane; kubectl: Kubectl }> {
    const plane = new ControlPlane(nodeAddress)
    try {
      return { plane, kubectl: await plane.startAll() }
    } catch (error) {
      await plane.stop()
      throw error
    }
  }

  private async startAll(): Promise<Kubectl> {
    const [etcd, api] = [await this.startEtcd(), await freePort()]
    await this.startApiServer(etcd, api)
    const kubectl = new Kubectl(this.kubeconfig(api), await this.programs())
    await until(() => kubectl.succeeds(['get', '--raw', '/readyz']), {
      within: READY_WITHIN,
      every: 250,
      complaint: () => `the API server is not ready: see ${this.dir}`,
    })
    await this.startControllers()
    if (this.nodeAddress !== undefined) await this.startScheduler()
    return kubectl
  }

  /** Folder with kubectl under its own name. */
  private async programs(): Promise<string> {
    const folder = folderIn(this.dir, 'bin')
    symlinkSync(await goProgram('kubectl'), join(folder, 'kubectl'))
    return folder
  }

  /** Address of the API server; pods of a node reach it there. */
  private get address(): string {
    return this.nodeAddress ?? '127.0.0.1'
  }

  private get certificate(): string {
    return join(this.dir, 'certificates/apiserver.crt')
  }

  private async run(name: string, args: readonly string[]): Promise<void> {
    const log = openSync(join(this.dir, `${name}.log`), 'a')
    const child = spawn(await goProgram(name), args, { stdio: ['ignore', log, log], cwd: this.dir })
    await once(child, 'spawn')
    this.processes.push(child)
  }

  private async startEtcd(): Promise<string> {
    const [client, peer] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`]
    const urls = [
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ]
    await this.run('etcd', [`--data-dir=${folderIn(this.dir, 'etcd')}`, '--unsafe-no-fsync', ...urls])
    return client
  }

  private async startApiServer(etcd: string, port: number): Promise<void> {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const key = fileIn(this.dir, 'service-accounts.key', privateKey)
    await this.run('kube-apiserver', [
      `--etcd-servers=${etcd}`,
      `--bind-address=${this.address}`,
      `--secure-port=${port}`,
      `--cert-dir=${folderIn(this.dir, 'certificates')}`,
      `--token-auth-file=${fileIn(this.dir, 'tokens.csv', `${this.token},admin,admin,system:masters\n`)}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      ...(this.nodeAddress === undefined
        ? []
        : [`--advertise-address=${this.nodeAddress}`, '--kubelet-preferred-address-types=InternalIP']),
    ])
  }

  private kubeconfig(port: number): string {
    const cluster = {
      server: `https://${this.address}:${port}`,
      'certificate-authority': this.certificate,
    }
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'prove',
      clusters: [{ name: 'prove', cluster }],
      users: [{ name: 'admin', user: { token: this.token } }],
      contexts: [{ name: 'prove', context: { cluster: 'prove', user: 'admin' } }],
    }
    return fileIn(this.dir, 'kubeconfig', stringify(config))
  }

  /** Kubeconfig of an administrator. */
  get access(): string {
    return join(this.dir, 'kubeconfig')
  }

  private async startScheduler(): Promise<void> {
    await this.run('kube-scheduler', [
      `--kubeconfig=${this.access}`,
      `--cert-dir=${folderIn(this.dir, 'scheduler')}`,
      `--secure-port=${await freePort()}`,
      '--bind-address=127.0.0.1',
      '--leader-elect=false',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ])
  }

  private async startControllers(): Promise<void> {
    const controllers = [...CONTROLLERS, ...(this.nodeAddress === undefined ? [] : CONTROLLERS_OF_NODES)]
    await this.run('kube-controller-manager', [
      `--kubeconfig=${this.access}`,
      `--controllers=${controllers.map((name) => `${name}-controller`).join(',')}`,
      `--service-account-private-key-file=${join(this.dir, 'service-accounts.key')}`,
      `--root-ca-file=${this.certificate}`,
      `--cert-dir=${folderIn(this.dir, 'controllers')}`,
      `--secure-port=${await freePort()}`,
      '--bind-address=127.0.0.1',
      '--leader-elect=false',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ])
  }

  /** Ends the processes, last started first, and removes their folder. */
  async stop(): Promise<void> {
    for (const child of this.processes.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(this.dir, { recursive: true, force: true })
  }
}
