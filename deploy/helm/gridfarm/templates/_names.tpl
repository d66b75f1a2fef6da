{{/* Names and labels. */}}
{{- define "gridfarm.fullname" -}}
{{ .Values.nameOverride | default .Release.Name }}
{{- end }}

{{/* How a pod of a headless service is reached, without its own name: (dict "root" $ "service" NAME) */}}
{{- define "gridfarm.domain" -}}
{{ .service }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end }}

{{/* (dict "root" $ "component" NAME) */}}
{{- define "gridfarm.selector" -}}
app.kubernetes.io/name: gridfarm
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "gridfarm.labels" -}}
{{ include "gridfarm.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* A storage node's objects: a name of Kubernetes may have dots, that of a Service may not. */}}
{{- define "gridfarm.node" -}}
{{ include "gridfarm.fullname" .root }}-node-{{ .node | replace "." "-" }}
{{- end }}

{{/* Secrets that the values name, or that the Job makes: (dict "root" $ "key" "metaserverTls" "made" "metaserver-tls") */}}
{{- define "gridfarm.secret" -}}
{{ get .root.Values.secrets .key | default (printf "%s-%s" (include "gridfarm.fullname" .root) .made) }}
{{- end }}

{{- define "gridfarm.nodeSecret" -}}
{{- with .root.Values.secrets.nodeTlsPrefix -}}
{{ . }}{{ $.node }}
{{- else -}}
{{ include "gridfarm.node" . }}-tls
{{- end -}}
{{- end }}

{{- define "gridfarm.configMap" -}}
{{ get .root.Values.configMaps .key | default (printf "%s-%s" (include "gridfarm.fullname" .root) .key) }}
{{- end }}

{{- define "gridfarm.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
