package org.gridfarm.test.helm;

/** Values with which everything that the chart can render is rendered by one or another. */
enum Variant {
    DEFAULT(""),

    EVERYTHING(
            """
            image: {repository: registry.example.org/gridfarm, tag: "1.2", pullSecrets: [registry]}
            storage:
              racks:
                - {name: rack1, nodes: [worker.example.org]}
                - {name: "2", group: ssd, nodes: ["3"]}
              disks: [/data/a, /data/b]
              tolerations: [{key: storage, operator: Exists, effect: NoSchedule}]
              settings: |
                [scrub]
                rate = "50M"
            caches: {replicas: 1}
            metaservers:
              antiAffinity: hard
              nodeSelector: {role: metadata}
              settings: |
                # Slower than usual.
                [repair]
                after = "60s"
                [limits]
                heap_percent = 80
            jobs:
              enabled: true
              schedulers: 1
              settings: |
                [jobs]
                keep = "30d"
            gateway: {enabled: true, hostNames: [gw.example.org]}
            console: {actions: true, hostNames: [console.example.org]}
            mount: {enabled: true, options: names}
            postgresql: {enabled: true, storageClass: fast}
            zookeeperServer: {enabled: true, storageClass: fast}
            networkPolicy:
              enabled: true
              clients: [{namespaceSelector: {}}]
              monitoring: [{namespaceSelector: {matchLabels: {name: monitoring}}}]
            monitoring: {podMonitor: true, rules: true, labels: {release: prometheus}}
            people: ['"/O=Gridfarm/CN=Ann" ann']
            accounts: ["ann:5001:5000,5100"]
            """),

    /** No Job: each Secret is somebody else's. */
    OWN_SECRETS(
            """
            certificates: {make: false}
            secrets:
              metaserverTls: my-metaserver
              metaserverPasswords: my-metaserver-passwords
              schedulerTls: my-scheduler
              schedulerPasswords: my-scheduler-passwords
              nodeTlsPrefix: my-node-
              gatewayTls: my-gateway
              mountTls: my-mount
              adminTls: my-admin
              consoleTls: my-console
              consoleToken: my-token
            configMaps: {trust: my-trust, map: my-map, databaseTrust: my-database-ca, zookeeperTrust: my-zookeeper-ca}
            database: {hosts: [db1.example.org, db2.example.org], port: 6432, name: farm, sslmode: verify-ca}
            zookeeper: {servers: ["zk1.example.org:2281", "zk2.example.org:2281"], path: /grid/farm}
            storage: {racks: [{name: rack1, nodes: [n1]}], hostNetwork: true, domain: example.org, updateStrategy: RollingUpdate}
            jobs: {enabled: true, schedulers: 1, hostAccounts: false}
            gateway: {enabled: true, replicas: 1, serviceType: LoadBalancer}
            mount: {enabled: true, path: /srv/farms/gridfarm}
            """),

    /** Passwords of a database that is there, and no TLS to it and to ZooKeeper. */
    PLAIN(
            """
            secrets: {metaserverPasswords: given}
            database: {hosts: [db.example.org], sslmode: disable}
            zookeeper: {servers: ["zk.example.org:2181"], tls: false}
            storage: {racks: [{name: rack1, nodes: [n1]}]}
            metaservers: {replicas: 1}
            console: {enabled: false}
            """);

    private final String text;

    Variant(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    Rendered rendered() {
        return Chart.render(text);
    }
}
