package org.gridfarm.protocol.config;

import org.gridfarm.protocol.auth.BearerToken;
import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Reloaded;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.SharedKeys;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.GuestCertificate;
import org.gridfarm.protocol.auth.x509.ProxyFile;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.LogIns;
import org.gridfarm.protocol.rpc.OwnLogIn;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Who this process is and whom it trusts: {@code [tls] certificate, key} or {@code credential} (one
 * file with both, as a proxy has them), {@code trust} (a file or a folder of authorities), {@code
 * revocation}, {@code engine}, {@code login} and {@code login_key}; {@code [grid] map}, {@code
 * guests} and {@code keys}.
 *
 * @param map the grid-mapfile; servers need one, clients may do without
 * @param guests of a server: clients may come that have no certificate
 * @param keys of a server: the file of gf key
 * @param logIn of a client: how it logs in where it has no certificate, which is then not read
 */
public record SecuritySettings(
        Path certificate,
        Optional<Path> key,
        Path trust,
        RevocationPolicy revocation,
        TlsEngine engine,
        Optional<Path> map,
        boolean guests,
        Optional<Path> keys,
        Optional<OwnLogIn> logIn) {
    /** By what a person proves who he is. */
    private enum By {
        /** What is there, in this order. */
        ANY,
        CERTIFICATE,
        KEY,
        TOKEN
    }

    /**
     * How often changed files are looked for: a renewed proxy or a new user is known after that.
     */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    /** Of somebody with a certificate, who has to do with nobody else. */
    public SecuritySettings(
            Path certificate,
            Optional<Path> key,
            Path trust,
            RevocationPolicy revocation,
            TlsEngine engine,
            Optional<Path> map) {
        this(
                certificate,
                key,
                trust,
                revocation,
                engine,
                map,
                false,
                Optional.empty(),
                Optional.empty());
    }

    /** The same server, to which guests may come. */
    public SecuritySettings withGuests() {
        return new SecuritySettings(
                certificate, key, trust, revocation, engine, map, true, keys, logIn);
    }

    /** Of a daemon, which has to say who it is. */
    public static SecuritySettings read(Config config) {
        return read(config, Optional.empty(), Optional.empty());
    }

    /**
     * Of a program that people run: whoever may not read the key that the file names (it is root's,
     * say), or finds none named, is whom his proxy names. So is a task that was given one.
     *
     * <p>Where there is neither, he logs in: by a key of gf key where he has one, else by a bearer
     * token. {@code login} says otherwise.
     *
     * @param proxy certificate and key in one file
     */
    public static SecuritySettings readForPeople(Config config, Path proxy) {
        Optional<Path> ofTask = ProxyFile.ofTask();
        if (ofTask.isPresent()) {
            return read(config, ofTask, Optional.empty());
        }
        Config tls = config.section("tls");
        By by = tls.choice("login", By.ANY);
        Path ownKey = tls.pathIfAny("login_key").orElseGet(SecuritySettings::usualKey);
        boolean named =
                tls.pathIfAny("key")
                        .or(() -> tls.pathIfAny("credential"))
                        .filter(file -> Files.isReadable(file) || !Files.isReadable(proxy))
                        .isPresent();
        boolean certified =
                by == By.CERTIFICATE || (by == By.ANY && (named || Files.exists(proxy)));
        Optional<OwnLogIn> logIn = certified ? Optional.empty() : logIn(by, ownKey);
        if (!named && logIn.isEmpty()) {
            ProxyFile.requireOwn(proxy);
        }
        return read(config, named ? Optional.empty() : Optional.of(proxy), logIn);
    }

    private static Path usualKey() {
        return Path.of(System.getProperty("user.home"), ".config", "gridfarm", "key");
    }

    private static Optional<OwnLogIn> logIn(By by, Path key) {
        if (by == By.KEY || (by == By.ANY && Files.isReadable(key))) {
            return Optional.of(OwnLogIn.byKey(() -> SharedKeys.load(key).only(key)));
        }
        BearerToken token = BearerToken.ofEnvironment();
        return by == By.TOKEN || token.isThere()
                ? Optional.of(OwnLogIn.byToken(token::read))
                : Optional.empty();
    }

    private static SecuritySettings read(
            Config config, Optional<Path> proxy, Optional<OwnLogIn> logIn) {
        Config grid = config.section("grid");
        Optional<Path> keys = grid.pathIfAny("keys");
        Config tls = config.section("tls");
        Optional<Path> credential = tls.pathIfAny("credential");
        Optional<Path> certificate = tls.pathIfAny("certificate");
        Optional<Path> key = tls.pathIfAny("key");
        if (credential.isPresent() && (certificate.isPresent() || key.isPresent()))
            throw tls.wrong("credential", "stands instead of certificate and key, not beside them");
        if (certificate.isPresent() && key.isEmpty())
            throw tls.wrong("certificate", "needs a key beside it");
        return new SecuritySettings(
                proxy.or(() -> credential)
                        .or(() -> certificate)
                        .orElseGet(() -> tls.path("credential")),
                proxy.isPresent() ? Optional.empty() : key,
                tls.path("trust"),
                tls.choice("revocation", RevocationPolicy.WHEN_PRESENT),
                tls.choice("engine", TlsEngine.AUTOMATIC),
                grid.pathIfAny("map"),
                grid.flag("guests", false) || keys.isPresent(),
                keys,
                logIn);
    }

    /** As it is now; for who signs with it. BAD_CONFIGURATION for who logs in without one. */
    public Credential credential() {
        if (logIn.isPresent()) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "find credential",
                    "",
                    "this needs a certificate or a proxy, and not a token or a key alone");
        }
        return key.map(file -> Credential.load(certificate, file))
                .orElseGet(() -> Credential.load(certificate));
    }

    /** ACCESS_DENIED for who comes by a token, which schedulers are not shown. */
    public void requireGoodForJobs() {
        if (logIn.stream().anyMatch(by -> !by.isFor(Role.SCHEDULER))) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED,
                    "ask the scheduler",
                    "",
                    "a token is good for files alone: jobs need a certificate (gf proxy init) or a key of gf key");
        }
    }

    /**
     * Reads the files; they are read again when they change.
     *
     * @param handshakes computes signatures, so that event loops need not
     * @throws org.gridfarm.protocol.error.FarmException what is wrong with which file
     */
    public ChannelSecurity open(Clock clock, Executor handshakes) {
        return loggingIn(contexts(clock, handshakes));
    }

    /**
     * The same for who connects and is not connected to: whether key and certificate belong
     * together is looked at when a server refuses them.
     */
    public ChannelSecurity openToConnect(Clock clock, Executor handshakes) {
        return loggingIn(
                contexts(
                        reloaded(Credential::loadUntried, Credential::loadUntried, clock),
                        clock,
                        handshakes));
    }

    /**
     * Of this process as a guest, whatever certificate it has: for what others have shown to it,
     * who log in by that and have nothing of what its certificate may do.
     */
    public ChannelSecurity openAsGuest(Clock clock, Executor handshakes) {
        Credential guest = GuestCertificate.make(clock.now());
        return ChannelSecurity.tls(contexts(() -> guest, clock, handshakes));
    }

    private ChannelSecurity loggingIn(TlsContexts contexts) {
        ChannelSecurity security = ChannelSecurity.tls(contexts);
        return logIn.map(security::loggingIn).orElse(security);
    }

    /** The same, for those who need more than connections. */
    public TlsContexts contexts(Clock clock, Executor handshakes) {
        return contexts(reloaded(clock), clock, handshakes);
    }

    private TlsContexts contexts(
            Supplier<Credential> credential, Clock clock, Executor handshakes) {
        ChainValidator validator = validator(clock);
        Current<GridMap> people = people(clock).orElse(GridMap::empty);
        return new TlsContexts(credential, validator, people, clock, engine, handshakes, guests);
    }

    /** By what a server lets guests become somebody. */
    public LogIns logIns(Optional<LogIns.Tokens> tokens, Clock clock) {
        return new LogIns(
                tokens,
                keys.map(file -> new Reloaded<>(file, SharedKeys::load, clock, LOOK_EVERY)));
    }

    /** Who is who, as the grid-mapfile says now; empty: there is none here. */
    public Optional<Current<GridMap>> people(Clock clock) {
        return map.map(file -> new Reloaded<>(file, GridMap::load, clock, LOOK_EVERY));
    }

    /**
     * TLS for a web server.
     *
     * @param shown what browsers are shown, with its key in the same file, if not who this process
     *     is
     */
    public WebTls web(Clock clock, Optional<Path> shown) {
        Supplier<Credential> own =
                shown.<Supplier<Credential>>map(
                                file -> new Reloaded<>(file, Credential::load, clock, LOOK_EVERY))
                        .orElseGet(() -> reloaded(clock));
        return new WebTls(own, validator(clock), clock);
    }

    private Supplier<Credential> reloaded(Clock clock) {
        return reloaded(Credential::load, Credential::load, clock);
    }

    private Supplier<Credential> reloaded(
            Function<Path, Credential> ofOne,
            BiFunction<Path, Path, Credential> ofTwo,
            Clock clock) {
        if (logIn.isPresent()) {
            Credential guest = GuestCertificate.make(clock.now());
            return () -> guest;
        }
        return key.<Supplier<Credential>>map(keyFile ->
                        new Reloaded<>(
                                certificate, file -> ofTwo.apply(file, keyFile), clock, LOOK_EVERY))
                .orElseGet(() -> new Reloaded<>(certificate, ofOne::apply, clock, LOOK_EVERY));
    }

    private ChainValidator validator(Clock clock) {
        return new ChainValidator(
                new Reloaded<>(
                        trust, files -> TrustStore.load(files, revocation), clock, LOOK_EVERY));
    }
}
