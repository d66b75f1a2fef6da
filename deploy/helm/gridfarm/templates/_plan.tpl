{{/* What files/farm-secrets is to make: a line for each thing. Names of the farm itself come first, which are those in the certificates. */}}
{{- define "gridfarm.plan" -}}
{{- $name := include "gridfarm.fullname" . -}}
{{- $namespace := .Release.Namespace -}}
{{- $pods := list (printf "%s-metaserver" $name) -}}
{{- range $service, $replicas := dict "metaserver" .Values.metaservers.replicas "cache" .Values.caches.replicas -}}
{{- range $i := until (int $replicas) -}}
{{- $pods = append $pods (printf "%s-%s-%d.%s" $name $service $i (include "gridfarm.domain" (dict "root" $ "service" (printf "%s-%s" $name $service)))) -}}
{{- end -}}
{{- end -}}
certificate {{ $name }}-metaserver-tls metaserver {{ join " " $pods }}
{{- if not .Values.secrets.metaserverPasswords }}
password {{ $name }}-metaserver-passwords database-password
password {{ $name }}-metaserver-passwords zookeeper-password
{{- end }}
{{- if .Values.jobs.enabled }}
{{- $pods = list (printf "%s-scheduler" $name) }}
{{- range $i := until (int .Values.jobs.schedulers) }}
{{- $pods = append $pods (printf "%s-scheduler-%d.%s" $name $i (include "gridfarm.domain" (dict "root" $ "service" (printf "%s-scheduler" $name)))) }}
{{- end }}
certificate {{ $name }}-scheduler-tls scheduler {{ join " " $pods }}
{{- end }}
{{- if and (or .Values.jobs.enabled .Values.postgresql.enabled) (not .Values.secrets.schedulerPasswords) }}
password {{ $name }}-scheduler-passwords database-password
password {{ $name }}-scheduler-passwords zookeeper-password
{{- end }}
{{- range .Values.storage.racks }}
{{- range $node := .nodes }}
{{- $at := dict "root" $ "node" $node }}
certificate {{ include "gridfarm.node" $at }}-tls node {{ $node }} {{ include "gridfarm.nodeHost" $at }}
{{- end }}
{{- end }}
{{- if .Values.gateway.enabled }}
certificate {{ $name }}-gateway-tls gateway {{ include "gridfarm.hosts" (dict "root" . "service" "gateway" "more" .Values.gateway.hostNames) }}
{{- end }}
{{- if .Values.mount.enabled }}
certificate {{ $name }}-mount-tls mount {{ $name }}-mount
{{- end }}
{{- if .Values.console.enabled }}
certificate {{ $name }}-admin-tls admin root
{{- if not .Values.secrets.consoleTls }}
certificate {{ $name }}-console-tls service console {{ include "gridfarm.hosts" (dict "root" . "service" "console" "more" .Values.console.hostNames) }}
{{- end }}
{{- if not .Values.secrets.consoleToken }}
password {{ $name }}-console-token token
{{- end }}
{{- end }}
{{- if .Values.postgresql.enabled }}
certificate {{ $name }}-postgresql-tls service postgresql {{ $name }}-postgresql
password {{ $name }}-postgresql-init superuser
roles {{ $name }}-postgresql-init {{ $name }}-metaserver-passwords {{ $name }}-scheduler-passwords
{{- end }}
{{- if .Values.zookeeperServer.enabled }}
certificate {{ $name }}-zookeeper-tls service zookeeper {{ $name }}-zookeeper
{{- end }}
{{- end }}

{{/* By what a Service is called: (dict "root" $ "service" NAME "more" NAMES) */}}
{{- define "gridfarm.hosts" -}}
{{- $service := printf "%s-%s" (include "gridfarm.fullname" .root) .service -}}
{{ join " " (concat (list $service (printf "%s.%s" $service .root.Release.Namespace) (printf "%s.%s.svc" $service .root.Release.Namespace) (include "gridfarm.domain" (dict "root" .root "service" $service))) .more) }}
{{- end }}

{{/* A hook of before an installation or upgrade; what has the lower weight comes first. */}}
{{- define "gridfarm.before" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
