package org.gridfarm.client.cli.doctor;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Walks the chain from the own key to the farm's servers, link by link ({@code gf auth check}). */
public final class AuthExamination {
    private static final int PORT_OF_METASERVERS = 7000;

    private AuthExamination() {}

    /**
     * @param hosts HOST or HOST:PORT; none means every server that the configuration names
     */
    public static List<Finding> of(ClientConfig config, List<String> hosts) {
        if (config.security().logIn().isPresent()) return List.of(ofGuest(config));
        OwnLinks own = new OwnLinks(config.security(), Instant.now());
        own.examine();
        List<Finding> findings = new ArrayList<>(own.findings());
        Optional<Credential> credential = own.credential();
        if (credential.isEmpty()) return findings; // nobody listens to one without
        addresses(config, hosts)
                .forEach((address, role) -> {
                    ServerLinks server = new ServerLinks(address, role, own);
                    server.examine(credential.get());
                    findings.addAll(server.findings());
                });
        return findings;
    }

    /** By a token or a key: what is wrong with it the servers say. */
    private static Finding ofGuest(ClientConfig config) {
        try (Gridfarm farm = Gridfarm.open(config, "auth check")) {
            return Finding.good("log-in", "without a certificate, as " + farm.user());
        } catch (FarmException e) {
            return Finding.bad(
                    "log-in",
                    e.getMessage(),
                    "get a token or key that the servers take, or a proxy with gf proxy init");
        }
    }

    private static Map<HostPort, Optional<Role>> addresses(
            ClientConfig config, List<String> hosts) {
        Map<HostPort, Optional<Role>> known = new LinkedHashMap<>();
        config.metaservers().forEach(one -> known.put(one, Optional.of(Role.METASERVER)));
        config.schedulers().forEach(one -> known.put(one, Optional.of(Role.SCHEDULER)));
        if (hosts.isEmpty()) return known;
        Map<HostPort, Optional<Role>> asked = new LinkedHashMap<>();
        for (String host : hosts) {
            List<HostPort> there =
                    known.keySet().stream().filter(one -> one.host().equals(host)).toList();
            if (there.isEmpty()) {
                boolean port = host.matches(".*[^:]:[0-9]+|\\[.*]:[0-9]+");
                HostPort one =
                        port ? HostPort.parse(host) : new HostPort(host, PORT_OF_METASERVERS);
                asked.put(one, known.getOrDefault(one, Optional.empty()));
            } else {
                there.forEach(one -> asked.put(one, known.get(one)));
            }
        }
        return asked;
    }
}
