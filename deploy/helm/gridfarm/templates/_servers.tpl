{{/*
Metaservers, caches and schedulers: pods with names, each with a file of its own, and nothing on a disk.
(dict "root" $ "component" NAME "command" WORD "port" PORT "replicas" NUMBER "files" FILES "tls" SECRET "passwords" SECRET "values" VALUES "accounts" whether those of the host count)
*/}}
{{- define "gridfarm.servers" -}}
{{- $name := printf "%s-%s" (include "gridfarm.fullname" .root) .component -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}
  labels:
    {{- include "gridfarm.labels" . | nindent 4 }}
data:
  {{- range $file, $text := .files }}
  {{ $file }}: |
    {{- $text | nindent 4 }}
  {{- end }}
---
# Gives each pod a name; those that are not ready yet have to find each other, too.
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "gridfarm.labels" . | nindent 4 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "gridfarm.selector" . | nindent 4 }}
  ports:
    - {name: farm, port: {{ .port }}, targetPort: farm}
    - {name: http, port: {{ add1 .port }}, targetPort: http}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels:
    {{- include "gridfarm.labels" . | nindent 4 }}
spec:
  serviceName: {{ $name }}
  replicas: {{ .replicas }}
  podManagementPolicy: Parallel
  selector:
    matchLabels:
      {{- include "gridfarm.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "gridfarm.labels" . | nindent 8 }}
      annotations:
        checksum/config: {{ .files | toJson | sha256sum }}
    spec:
      {{- include "gridfarm.pod" .root | nindent 6 }}
      {{- include "gridfarm.unprivileged.pod" .root | nindent 6 }}
      {{- include "gridfarm.apart" (dict "root" .root "component" .component "how" .values.antiAffinity) | nindent 6 }}
      {{- with include "gridfarm.places" .values }}
      {{- . | nindent 6 }}
      {{- end }}
      initContainers:
        {{- include "gridfarm.keys" (dict "root" .root "passwords" (list "database-password" "zookeeper-password")) | nindent 8 }}
      containers:
        - name: {{ .component }}
          image: {{ include "gridfarm.image" .root | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          args: [{{ .command }}, --config, /etc/gridfarm/config/$(POD_NAME).toml]
          env:
            - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
            - {name: GF_HEAP, value: {{ .values.heap | quote }}}
            - {name: HOME, value: /tmp}
          ports:
            - {name: farm, containerPort: {{ .port }}}
            - {name: http, containerPort: {{ add1 .port }}}
          {{- include "gridfarm.probes" (dict "port" "http") | nindent 10 }}
          {{- include "gridfarm.unprivileged" .root | nindent 10 }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            {{- include "gridfarm.mounts" (dict "root" .root "stores" true) | nindent 12 }}
            {{- if .accounts }}
            {{- include "gridfarm.accounts.mounts" . | nindent 12 }}
            {{- end }}
      volumes:
        {{- include "gridfarm.volumes" (dict "root" .root "config" $name "tls" .tls "passwords" .passwords "stores" true) | nindent 8 }}
        {{- if .accounts }}
        {{- include "gridfarm.accounts.volumes" . | nindent 8 }}
        {{- end }}
{{- if gt (int .replicas) 1 }}
---
{{ include "gridfarm.disruptions" . }}
{{- end }}
{{- end }}
