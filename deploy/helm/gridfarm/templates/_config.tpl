{{/* The configuration files. Their keys are those of deploy/config; HelmChartTest has the daemons' own readers read each. */}}

{{/* Metaservers and caches, as all the others dial them: a list of TOML. */}}
{{- define "gridfarm.metaservers" -}}
{{- $list := list -}}
{{- range $service, $replicas := dict "metaserver" .Values.metaservers.replicas "cache" .Values.caches.replicas -}}
{{- $domain := include "gridfarm.domain" (dict "root" $ "service" (printf "%s-%s" (include "gridfarm.fullname" $) $service)) -}}
{{- range $i := until (int $replicas) -}}
{{- $list = append $list (printf "%s-%s-%d.%s:7000" (include "gridfarm.fullname" $) $service $i $domain) -}}
{{- end -}}
{{- end -}}
{{ toRawJson $list }}
{{- end }}

{{- define "gridfarm.schedulers" -}}
{{- $list := list -}}
{{- if .Values.jobs.enabled -}}
{{- $service := printf "%s-scheduler" (include "gridfarm.fullname" .) -}}
{{- range $i := until (int .Values.jobs.schedulers) -}}
{{- $list = append $list (printf "%s-%d.%s:7200" $service $i (include "gridfarm.domain" (dict "root" $ "service" $service))) -}}
{{- end -}}
{{- end -}}
{{ toRawJson $list }}
{{- end }}

{{/* The top of each daemon's file: (dict "root" $ "name" NAME "port" PORT "advertise" HOST) */}}
{{- define "gridfarm.daemon" -}}
name = {{ toRawJson .name }}
listen = "0.0.0.0:{{ .port }}"
http = "0.0.0.0:{{ add1 .port }}"
advertise = "{{ .advertise }}:{{ .port }}"
log_level = {{ toRawJson .root.Values.logLevel }}
slow_request = {{ toRawJson .root.Values.slowRequest }}
{{- end }}

{{- define "gridfarm.tls" -}}
[tls]
certificate = "/etc/gridfarm/own/tls.crt"
key = "/etc/gridfarm/own/tls.key"
trust = "/etc/gridfarm/trust"

[grid]
map = "/etc/gridfarm/map/grid-mapfile"
{{- end }}

{{/* Database and ZooKeeper: (dict "root" $ "role" "meta" or "sched" "path" PATH) */}}
{{- define "gridfarm.stores" -}}
{{- $database := .root.Values.database -}}
{{- $name := include "gridfarm.fullname" .root -}}
{{- $hosts := $database.hosts -}}
{{- if .root.Values.postgresql.enabled -}}{{- $hosts = list (printf "%s-postgresql" $name) -}}{{- end -}}
{{- $servers := .root.Values.zookeeper.servers -}}
{{- if .root.Values.zookeeperServer.enabled -}}{{- $servers = list (printf "%s-zookeeper:2281" $name) -}}{{- end -}}
{{- $port := ternary 5432 (int $database.port) .root.Values.postgresql.enabled -}}
{{- $base := ternary "gridfarm" $database.name .root.Values.postgresql.enabled -}}
{{- $ssl := ternary "verify-full" $database.sslmode .root.Values.postgresql.enabled -}}
{{- $at := list -}}
{{- range $hosts -}}{{- $at = append $at (printf "%s:%d" . $port) -}}{{- end -}}
[database]
url = "jdbc:postgresql://{{ join "," $at }}/{{ $base }}?sslmode={{ $ssl }}
{{- if hasPrefix "verify" $ssl }}&sslrootcert={{ ternary "/etc/gridfarm/database/ca.pem" "/etc/gridfarm/trust/site.pem" (not (empty .root.Values.configMaps.databaseTrust)) }}{{ end }}
{{- if gt (len $at) 1 }}&targetServerType=primary{{ end }}"
user = "gridfarm_{{ .role }}"
password_file = "/etc/gridfarm/own/database-password"

[zookeeper]
connect = "{{ join "," $servers }}"
path = {{ toRawJson .path }}
password_file = "/etc/gridfarm/own/zookeeper-password"
{{- if .root.Values.zookeeper.tls }}
tls_credential = "/etc/gridfarm/own/credential.pem"
tls_trust = {{ ternary "/etc/gridfarm/zookeeper/ca.pem" "/etc/gridfarm/trust/site.pem" (not (empty .root.Values.configMaps.zookeeperTrust)) | quote }}
{{- end }}
{{- end }}

{{/* Of one metaserver: (dict "root" $ "service" "metaserver" or "cache" "role" ROLE "i" NUMBER "values" VALUES) */}}
{{- define "gridfarm.metaserver.toml" -}}
{{- $service := printf "%s-%s" (include "gridfarm.fullname" .root) .service -}}
{{- $pod := printf "%s-%d" $service .i -}}
{{ include "gridfarm.daemon" (dict "root" .root "name" $pod "port" 7000 "advertise" (printf "%s.%s" $pod (include "gridfarm.domain" (dict "root" .root "service" $service)))) }}
role = {{ toRawJson .role }}

{{ include "gridfarm.tls" . }}

{{ include "gridfarm.stores" (dict "root" .root "role" "meta" "path" .root.Values.zookeeper.path) }}
{{- with .root.Values.accounts }}

[accounts]
users = {{ toRawJson . }}
{{- end }}
{{- with .values.settings }}

{{ trim . }}
{{- end }}
{{- end }}

{{/* (dict "root" $ "i" NUMBER) */}}
{{- define "gridfarm.scheduler.toml" -}}
{{- $service := printf "%s-scheduler" (include "gridfarm.fullname" .root) -}}
{{- $pod := printf "%s-%d" $service .i -}}
{{ include "gridfarm.daemon" (dict "root" .root "name" $pod "port" 7200 "advertise" (printf "%s.%s" $pod (include "gridfarm.domain" (dict "root" .root "service" $service)))) }}
metaservers = {{ include "gridfarm.metaservers" .root }}

{{ include "gridfarm.tls" . }}

{{ include "gridfarm.stores" (dict "root" .root "role" "sched" "path" (printf "%s-jobs" .root.Values.zookeeper.path)) }}
{{- with .root.Values.jobs.settings }}

{{ trim . }}
{{- end }}
{{- end }}

{{/* As others dial a storage node: (dict "root" $ "node" NAME) */}}
{{- define "gridfarm.nodeHost" -}}
{{- if .root.Values.storage.hostNetwork -}}
{{ .node }}{{ with .root.Values.storage.domain }}.{{ . }}{{ end }}
{{- else -}}
{{ include "gridfarm.domain" (dict "root" .root "service" (include "gridfarm.node" .)) }}
{{- end -}}
{{- end }}

{{/* (dict "root" $ "node" NAME "rack" NAME "group" NAME) */}}
{{- define "gridfarm.storagenode.toml" -}}
{{- $storage := .root.Values.storage -}}
{{- $jobs := .root.Values.jobs -}}
{{ include "gridfarm.daemon" (dict "root" .root "name" .node "port" 7100 "advertise" (include "gridfarm.nodeHost" .)) }}
metaservers = {{ include "gridfarm.metaservers" .root }}
data = {{ toRawJson $storage.disks }}
reserve = {{ toRawJson $storage.reserve }}
rack = {{ toRawJson .rack }}
group = {{ toRawJson .group }}
host = {{ toRawJson .node }}
slots = {{ ternary (int $jobs.slots) 0 $jobs.enabled }}
{{- if and $jobs.enabled .root.Values.mount.enabled }}
mount = {{ toRawJson .root.Values.mount.path }}
{{- end }}

{{ include "gridfarm.tls" . }}
{{- with $storage.settings }}

{{ trim . }}
{{- end }}
{{- end }}

{{/* Of whom asks the farm: gateway, console, mount. */}}
{{- define "gridfarm.client.toml" -}}
metaservers = {{ include "gridfarm.metaservers" .root }}
scheduler = {{ include "gridfarm.schedulers" .root }}
{{- if eq .of "mount" }}
node_data = {{ toRawJson .root.Values.storage.disks }}
{{- end }}

[tls]
credential = "/etc/gridfarm/own/credential.pem"
trust = "/etc/gridfarm/trust"

[grid]
map = "/etc/gridfarm/map/grid-mapfile"
{{- end }}

{{/* A ZooKeeper of one pod; docs/installing.md says what each line is for. */}}
{{- define "gridfarm.zookeeper.cfg" -}}
dataDir=/var/lib/gridfarm/data
tickTime=500
minSessionTimeout=1000
maxSessionTimeout=20000
admin.enableServer=false
autopurge.purgeInterval=24
secureClientPort=2281
serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider
ssl.protocol=TLSv1.3
ssl.ciphersuites=TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256
ssl.keyStore.location=/etc/gridfarm/own/credential.pem
ssl.keyStore.type=PEM
ssl.trustStore.location=/etc/gridfarm/trust/site.pem
ssl.trustStore.type=PEM
{{- end }}
