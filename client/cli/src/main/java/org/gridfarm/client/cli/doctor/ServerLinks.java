package org.gridfarm.client.cli.doctor;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.ticket.TicketGate;
import org.gridfarm.protocol.auth.x509.AuthenticatedChain;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.HostNames;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Introduction;
import org.gridfarm.protocol.wire.Welcome;

import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The links between this machine and one server: is it reached, is its certificate good, is it that
 * host and in that role, does it know us, and do the clocks agree. For one thread.
 */
final class ServerLinks {
    private static final Set<Role> SERVERS = Set.of(Role.METASERVER, Role.SCHEDULER, Role.NODE);

    private final HostPort address;
    private final Optional<Role> expected;
    private final OwnLinks own;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param expected what the configuration takes it for
     */
    ServerLinks(HostPort address, Optional<Role> expected, OwnLinks own) {
        this.address = address;
        this.expected = expected;
        this.own = own;
    }

    List<Finding> findings() {
        return findings;
    }

    void examine(Credential credential) {
        Introduction met;
        try {
            met = Introduction.of(address, credential);
        } catch (FarmException e) {
            boolean tls = e.kind() == ErrorKind.NOT_AUTHENTICATED || e.kind() == ErrorKind.PROTOCOL;
            bad(
                    "reached",
                    e.getMessage(),
                    tls
                            ? "is that the port of a server of the farm?"
                            : "start it, or let " + address + " through the firewall");
            return;
        }
        good("reached", "TLS 1.3");
        X509Certificate certificate = met.shown().get(0);
        own.trust().ifPresent(trust -> certificate(met.shown(), trust));
        host(certificate);
        met.welcome().ifPresent(this::welcome);
        met.refusal()
                .ifPresent(why ->
                        bad(
                                "knows you",
                                "it refuses you: " + why.detail(),
                                "what it has against you is in its log, and in audit lines there:"
                                        + " trust, grid-mapfile, clock"));
        met.welcome().ifPresent(welcome -> clock(welcome, met));
    }

    private void certificate(List<X509Certificate> shown, TrustStore trust) {
        try {
            AuthenticatedChain chain =
                    new ChainValidator(trust)
                            .validate(shown, ChainValidator.Part.SERVER, Instant.now());
            good("certificate", chain.dn() + " until " + chain.notAfter());
            own.map().ifPresent(map -> role(chain, map));
        } catch (CertificateException e) {
            bad(
                    "certificate",
                    String.valueOf(e.getMessage()),
                    "clients refuse it: renew it (gf ca renew), or trust its authority here");
        }
    }

    private void role(AuthenticatedChain chain, GridMap map) {
        Optional<Identity> identity = map.lookUp(chain.dn());
        if (identity.isEmpty()) {
            bad(
                    "role",
                    "the map here does not name " + chain.dn(),
                    "copy the servers' grid-mapfile, or add the line \""
                            + chain.dn()
                            + "\" "
                            + expected.map(role -> "@" + role.name().toLowerCase(Locale.ROOT))
                                    .orElse("@ROLE"));
            return;
        }
        Role role = identity.get().role();
        boolean right = expected.map(role::equals).orElse(SERVERS.contains(role));
        if (right) good("role", identity.get().user());
        else
            bad(
                    "role",
                    "by the map it is " + identity.get().user(),
                    "name the address of a server in the configuration, or mend the map");
    }

    private void host(X509Certificate certificate) {
        try {
            if (HostNames.cover(certificate, address.host())) {
                good("host name", address.host() + " stands in its certificate");
                return;
            }
            bad(
                    "host name",
                    "its certificate is for "
                            + (HostNames.of(certificate).isEmpty()
                                    ? "no host"
                                    : String.join(", ", HostNames.of(certificate))),
                    "dial one of these names, or issue it one with " + address.host());
        } catch (CertificateParsingException e) {
            bad("host name", String.valueOf(e.getMessage()), "issue it another certificate");
        }
    }

    private void welcome(Welcome welcome) {
        good(
                "knows you",
                welcome.getServerName() + " takes you for " + welcome.getAuthenticatedAs());
    }

    private void clock(Welcome welcome, Introduction met) {
        if (welcome.getTime() == 0) return; // an older server
        Instant there = Instant.ofEpochMilli(welcome.getTime());
        Duration ahead = Duration.between(met.answered(), there);
        if (ahead.isNegative()) {
            ahead = Duration.between(met.asked(), there);
            if (!ahead.isNegative()) ahead = Duration.ZERO; // between asking and answer
        }
        String text =
                ahead.isZero()
                        ? "the same, within %d ms"
                                .formatted(Duration.between(met.asked(), met.answered()).toMillis())
                        : "%d ms %s"
                                .formatted(
                                        ahead.abs().toMillis(),
                                        ahead.isNegative() ? "behind yours" : "ahead of yours");
        if (ahead.abs().compareTo(TicketGate.CLOCK_SKEW) > 0)
            bad("clock", text, "run chrony or systemd-timesyncd on both hosts");
        else good("clock", text);
    }

    private void good(String link, String text) {
        findings.add(Finding.good(address + " " + link, text));
    }

    private void bad(String link, String text, String cure) {
        findings.add(Finding.bad(address + " " + link, text, cure));
    }
}
