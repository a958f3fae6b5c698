import { topics } from '@connectivity/contracts/topics'
import { topicConfig } from '@connectivity/kafka/topics'
import { manifestsBelow, ofKind } from './manifests.js'

interface KafkaTopic {
  metadata: { name: string }
  spec: { partitions: number; replicas: number; config: Record<string, unknown> }
}

describe("Strimzi's topics", () => {
  const declared = ofKind<KafkaTopic>(manifestsBelow('platform/kafka'), 'KafkaTopic')

  it('are those that the contracts declare', () => {
    expect(declared.map(({ metadata }) => metadata.name)).toEqual(Object.keys(topics))
  })

  it.each(Object.entries(topics))('keep %s as the contracts declare it', (name, declaration) => {
    const { spec } = declared.find(({ metadata }) => metadata.name === name)!
    const config = Object.entries(spec.config).map(([key, value]) => [key, String(value)])
    expect(Object.fromEntries(config)).toEqual(topicConfig(declaration))
    expect(spec.partitions).toBe(12)
  })
})
