package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.AuditLog;
import org.gridfarm.protocol.rpc.HostPort;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Whom a program that listens for browsers or HTTP clients lets in. */
final class DoorOptions {
    @Option(
            names = "--tls",
            description =
                    "by https, with the certificate of the configuration; needed where others reach the address")
    private boolean tls;

    @Option(
            names = "--certificate",
            paramLabel = "FILE",
            description = "certificate and key that who comes is shown instead; implies --tls")
    private @Nullable Path certificate;

    @Option(
            names = "--allow",
            paramLabel = "DN",
            description =
                    "let in who has a certificate of this name, such as /O=Grid/CN=Ann, besides your own; may be repeated")
    private List<String> allowed = List.of();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "the token; without it a new one is made and printed")
    private @Nullable Path tokenFile;

    @Option(names = "--no-login", description = "let in everybody; only on 127.0.0.1")
    private boolean open;

    @Option(
            names = "--audit-log",
            paramLabel = "FILE",
            description = "who came in or was refused, and who did what (standard error)")
    private @Nullable Path auditLog;

    boolean isOpen() {
        return open;
    }

    boolean isSecured() {
        return tls || certificate != null;
    }

    WebTls web(ClientConfig config) {
        return config.security().web(Clock.system(), Optional.ofNullable(certificate));
    }

    /** The certificate's of whoever runs the program. */
    static Optional<String> ownName(ClientConfig config, WebTls web) {
        return config.security().logIn().isPresent()
                ? Optional.empty()
                : web.nameOf(config.security().credential().chain());
    }

    /** Those that were named, and one's own. */
    Set<String> names(Optional<String> own) {
        Set<String> names = new HashSet<>(allowed);
        own.ifPresent(names::add);
        return names;
    }

    /** That was chosen; empty: one is to be made, and to be printed. */
    Optional<String> token() {
        return Optional.ofNullable(tokenFile).map(TokenFile::read);
    }

    /** Returns what is to be run in the end. */
    Runnable audited() {
        return AuditLog.to(Optional.ofNullable(auditLog));
    }

    static HostPort address(String option, String text) {
        try {
            return HostPort.parse(text);
        } catch (IllegalArgumentException e) {
            throw new FarmException(ErrorKind.USAGE, option, text, "needs HOST:PORT", e);
        }
    }
}
