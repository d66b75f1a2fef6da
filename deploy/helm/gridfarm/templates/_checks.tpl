{{/* What a schema cannot see: each wrong value has its sentence. */}}
{{- define "gridfarm.checks" -}}
{{- $name := include "gridfarm.fullname" . -}}
{{- if gt (len $name) 30 -}}
{{- fail (printf "the name %s is longer than 30 characters: give nameOverride, since certificates and Services are named after it" $name) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "the name %s is none of a Service, which begins with a letter and has no dots: give nameOverride" $name) -}}
{{- end -}}
{{- $seen := dict -}}
{{- range .Values.storage.racks -}}
{{- $rack := .name -}}
{{- range .nodes -}}
{{- $object := include "gridfarm.node" (dict "root" $ "node" .) -}}
{{- if hasKey $seen $object -}}
{{- fail (printf "storage.racks names the node %s again, in rack %s: a node stands in one rack, once" . $rack) -}}
{{- end -}}
{{- if gt (len $object) 63 -}}
{{- fail (printf "the Service of the node %s would be called %s, longer than 63 characters: give a shorter nameOverride" . $object) -}}
{{- end -}}
{{- $_ := set $seen $object true -}}
{{- end -}}
{{- end -}}
{{- if and .Values.storage.domain (not .Values.storage.hostNetwork) -}}
{{- fail "storage.domain is for nodes that are reached by the names of their hosts: set storage.hostNetwork, or leave it empty" -}}
{{- end -}}
{{- if and .Values.jobs.enabled (not .Values.jobs.schedulers) -}}
{{- fail "jobs.enabled needs a scheduler: set jobs.schedulers to 1 or more" -}}
{{- end -}}
{{- if .Values.mount.enabled -}}
{{- $parent := dir .Values.mount.path -}}
{{- if eq $parent "/" -}}
{{- fail (printf "mount.path %s lies in the root of the host, which no container is shown: give it a directory of its own, such as /mnt/gridfarm" .Values.mount.path) -}}
{{- end -}}
{{- range .Values.storage.disks -}}
{{- if hasPrefix (printf "%s/" $parent) (printf "%s/" .) -}}
{{- fail (printf "storage.disks names %s, which lies in %s, the parent of mount.path: keep the mount and the disks apart" . $parent) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (or .Values.postgresql.enabled .Values.zookeeperServer.enabled) (not .Values.certificates.make) -}}
{{- fail "postgresql.enabled and zookeeperServer.enabled take certificates and passwords that the Job makes: set certificates.make, or run your own" -}}
{{- end -}}
{{- if .Values.postgresql.enabled -}}
{{- range list "metaserverPasswords" "schedulerPasswords" -}}
{{- if get $.Values.secrets . -}}
{{- fail (printf "secrets.%s names passwords that the database of postgresql.enabled does not know: leave it empty" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.zookeeperServer.enabled -}}
{{- if not .Values.zookeeper.tls -}}
{{- fail "zookeeperServer.enabled makes a ZooKeeper that takes TLS alone: leave zookeeper.tls true" -}}
{{- end -}}
{{- end -}}
{{- if .Values.certificates.make -}}
{{- range list "secrets.metaserverTls" "secrets.schedulerTls" "secrets.nodeTlsPrefix" "secrets.gatewayTls" "secrets.mountTls" "secrets.adminTls" "configMaps.trust" "configMaps.map" -}}
{{- if include "gridfarm.named" (dict "root" $ "key" .) -}}
{{- fail (printf "%s is named, and the Job of certificates.make makes its own: set certificates.make to false and name all of them, or none" .) -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- range include "gridfarm.needed" . | splitList " " -}}
{{- if not (include "gridfarm.named" (dict "root" $ "key" .)) -}}
{{- fail (printf "certificates.make is false: name what you have made in %s" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Keys of the values that name what the parts of this farm take. */}}
{{- define "gridfarm.needed" -}}
{{- $needed := list "configMaps.trust" "configMaps.map" "secrets.metaserverTls" "secrets.metaserverPasswords" -}}
{{- if .Values.jobs.enabled -}}{{- $needed = concat $needed (list "secrets.schedulerTls" "secrets.schedulerPasswords") -}}{{- end -}}
{{- if .Values.storage.racks -}}{{- $needed = append $needed "secrets.nodeTlsPrefix" -}}{{- end -}}
{{- if .Values.gateway.enabled -}}{{- $needed = append $needed "secrets.gatewayTls" -}}{{- end -}}
{{- if .Values.mount.enabled -}}{{- $needed = append $needed "secrets.mountTls" -}}{{- end -}}
{{- if .Values.console.enabled -}}{{- $needed = concat $needed (list "secrets.adminTls" "secrets.consoleTls" "secrets.consoleToken") -}}{{- end -}}
{{- join " " $needed -}}
{{- end }}

{{- define "gridfarm.named" -}}
{{- $part := splitList "." .key -}}
{{- get (get .root.Values (first $part)) (last $part) -}}
{{- end }}
