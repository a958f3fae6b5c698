import { type KafkaPermission, kafkaUsers, permissionsOf } from '@connectivity/contracts/kafka-users'
import kafkajs, { type AclEntry, type Kafka } from 'kafkajs'

/** Node finds no such named exports in a CommonJS package; tests, which do not use Node's loader, would. */
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs

const resourceTypes = { topic: AclResourceTypes.TOPIC, group: AclResourceTypes.GROUP }
const operationTypes = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  Describe: AclOperationTypes.DESCRIBE,
  Create: AclOperationTypes.CREATE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
}

const entriesOf = (user: string, { resource, name, operations }: KafkaPermission): AclEntry[] =>
  operations.map((operation) => ({
    principal: `User:${user}`,
    host: '*',
    resourceType: resourceTypes[resource],
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    operation: operationTypes[operation],
    permissionType: AclPermissionTypes.ALLOW,
  }))

/**
 * Grants every user the access that the contracts declare; existing access stays. The broker must have an authorizer
 * that refuses everything else (`allow.everyone.if.no.acl.found` false, the default).
 * @param kafka connected as a user that may alter the cluster's access rules
 */
export async function grantAccess(kafka: Kafka): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    const acl = kafkaUsers.flatMap((user) => permissionsOf(user).flatMap((permission) => entriesOf(user, permission)))
    await admin.createAcls({ acl })
  } finally {
    await admin.disconnect()
  }
}
