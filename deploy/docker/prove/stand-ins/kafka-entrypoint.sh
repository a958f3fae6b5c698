#!/bin/sh
# As apache/kafka: KAFKA_A_B_C in the environment is the setting a.b.c; the storage is formatted once.
set -eu
settings=/tmp/server.properties
env | sed -n 's/^KAFKA_//p' | grep -v '^HEAP_OPTS=' | while IFS='=' read -r key value; do
  echo "$(echo "$key" | tr 'A-Z_' 'a-z.')=$value"
done >"$settings"
[ -e "$KAFKA_LOG_DIRS/meta.properties" ] ||
  java -cp '/opt/kafka/libs/*' kafka.tools.StorageTool format --cluster-id "$CLUSTER_ID" --config "$settings"
# shellcheck disable=SC2086 # several arguments
exec java $KAFKA_HEAP_OPTS -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '/opt/kafka/libs/*' kafka.Kafka "$settings"
