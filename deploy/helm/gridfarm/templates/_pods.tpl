{{/* What the pods have in common. */}}

{{- define "gridfarm.pod" -}}
serviceAccountName: {{ include "gridfarm.fullname" . | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "gridfarm.unprivileged.pod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ int64 .Values.user }}
  runAsGroup: {{ int64 .Values.user }}
  fsGroup: {{ int64 .Values.user }}
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "gridfarm.unprivileged" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{/*
The first container: puts this pod's own keys and passwords where the daemon finds them, its own and of mode 600, as it wants them. Secrets that a pod
without root can read are readable by a group. (dict "root" $ "passwords" "yes" if it has any, "web" the same)
*/}}
{{- define "gridfarm.keys" -}}
- name: keys
  image: {{ include "gridfarm.image" .root | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: [/bin/sh, -euc]
  args:
    - |
      umask 077
      cd /etc/gridfarm/own
      for file in tls.crt tls.key; do cat "/secrets/tls/$file" > "$file"; done
      cat tls.key tls.crt > credential.pem
      {{- if .web }}
      cat /secrets/web/tls.key /secrets/web/tls.crt > web.pem
      {{- end }}
      {{- range .passwords }}
      cat /secrets/passwords/{{ . }} > {{ . }}
      {{- end }}
  {{- include "gridfarm.unprivileged" .root | nindent 2 }}
  resources: {requests: {cpu: 10m, memory: 16Mi}}
  volumeMounts:
    - {name: own, mountPath: /etc/gridfarm/own}
    - {name: tls, mountPath: /secrets/tls, readOnly: true}
    {{- if .web }}
    - {name: web, mountPath: /secrets/web, readOnly: true}
    {{- end }}
    {{- if .passwords }}
    - {name: passwords, mountPath: /secrets/passwords, readOnly: true}
    {{- end }}
{{- end }}

{{/* (dict "root" $ "config" CONFIGMAP "tls" SECRET "passwords" SECRET or "" "web" SECRET or "" "stores" whether database and ZooKeeper are asked) */}}
{{- define "gridfarm.volumes" -}}
- name: config
  configMap: {name: {{ .config }}}
- name: trust
  configMap: {name: {{ include "gridfarm.configMap" (dict "root" .root "key" "trust") }}}
- name: map
  configMap: {name: {{ include "gridfarm.configMap" (dict "root" .root "key" "map") }}}
- name: tls
  secret: {secretName: {{ .tls }}, defaultMode: 256} # 0400
{{- with .web }}
- name: web
  secret: {secretName: {{ . }}, defaultMode: 256} # 0400
{{- end }}
{{- with .passwords }}
- name: passwords
  secret: {secretName: {{ . }}, defaultMode: 256} # 0400
{{- end }}
{{- if .stores }}
{{- with .root.Values.configMaps.databaseTrust }}
- name: database-trust
  configMap: {name: {{ . }}}
{{- end }}
{{- with .root.Values.configMaps.zookeeperTrust }}
- name: zookeeper-trust
  configMap: {name: {{ . }}}
{{- end }}
{{- end }}
- name: own
  emptyDir: {medium: Memory, sizeLimit: 1Mi}
- name: tmp
  emptyDir: {}
{{- end }}

{{- define "gridfarm.mounts" -}}
- {name: config, mountPath: /etc/gridfarm/config, readOnly: true}
- {name: trust, mountPath: /etc/gridfarm/trust, readOnly: true}
- {name: map, mountPath: /etc/gridfarm/map, readOnly: true}
- {name: own, mountPath: /etc/gridfarm/own, readOnly: true}
- {name: tmp, mountPath: /tmp}
{{- if .stores }}
{{- if .root.Values.configMaps.databaseTrust }}
- {name: database-trust, mountPath: /etc/gridfarm/database, readOnly: true}
{{- end }}
{{- if .root.Values.configMaps.zookeeperTrust }}
- {name: zookeeper-trust, mountPath: /etc/gridfarm/zookeeper, readOnly: true}
{{- end }}
{{- end }}
{{- end }}

{{/* Who is who on the hosts of the cluster, for jobs: the image has no accounts. */}}
{{- define "gridfarm.accounts.mounts" -}}
- {name: passwd, mountPath: /etc/passwd, readOnly: true}
- {name: group, mountPath: /etc/group, readOnly: true}
{{- end }}

{{- define "gridfarm.accounts.volumes" -}}
- name: passwd
  hostPath: {path: /etc/passwd, type: File}
- name: group
  hostPath: {path: /etc/group, type: File}
{{- end }}

{{/* A daemon may take minutes to start, where it has much to read. (dict "port" NAME) */}}
{{- define "gridfarm.probes" -}}
startupProbe:
  httpGet: {path: /livez, port: {{ .port }}}
  periodSeconds: 5
  failureThreshold: 120
livenessProbe:
  httpGet: {path: /livez, port: {{ .port }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: {{ .port }}}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{/* Pods of a component on different hosts: (dict "root" $ "component" NAME "how" "soft" or "hard") */}}
{{- define "gridfarm.apart" -}}
affinity:
  podAntiAffinity:
    {{- if eq .how "hard" }}
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "gridfarm.selector" . | nindent 12 }}
    {{- else }}
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "gridfarm.selector" . | nindent 14 }}
    {{- end }}
{{- end }}

{{/* Where a component's pods may run. */}}
{{- define "gridfarm.places" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* (dict "root" $ "component" NAME) */}}
{{- define "gridfarm.disruptions" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "gridfarm.fullname" .root }}-{{ .component }}
  labels:
    {{- include "gridfarm.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "gridfarm.selector" . | nindent 6 }}
{{- end }}
