package org.gridfarm.protocol.auth.tls;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.ProxyMaker;
import org.gridfarm.protocol.auth.x509.SampleChains;
import org.gridfarm.protocol.auth.x509.SampleChains.Flaw;
import org.gridfarm.protocol.auth.x509.SampleChains.Made;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.SimClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the chain validator says holds on the wire: with each engine, and in sessions gone on with.
 */
class ChainMatrixTest {
    private static final String PAIRS = "JDK,JDK\nJDK,NATIVE\nNATIVE,JDK\nNATIVE,NATIVE";
    private static final int SOUND_CHAINS = 10;

    /** Everybody is named, so that nobody is refused for that. */
    private static final GridMap MAP =
            GridMap.parse(
                    """
                    "/O=Grid/CN=Bob" bob
                    "/O=Grid/OU=Users/CN=Alice" alice
                    "/O=Grid/CN=Revoked" revoked
                    "/O=Grid/CN=Late" late
                    "/O=Grid/CN=Eve" eve
                    "/O=Grid/CN=n1" @node:n1
                    """,
                    "map");

    private final SimClock clock = new SimClock(SampleChains.NOW);
    private final SampleChains samples = new SampleChains(new Random(20261126L));
    private final AtomicReference<TrustStore> trust = new AtomicReference<>(samples.trust());
    private final AtomicReference<GridMap> map = new AtomicReference<>(MAP);
    private final Credential host =
            samples.authority().issueHost("/O=Grid/CN=n1", List.of(Line.HOST), SampleChains.NOW);

    ChainMatrixTest() throws GeneralSecurityException {}

    private TlsContexts server(TlsEngine engine) {
        return new TlsContexts(() -> host, new ChainValidator(trust::get), map::get, clock, engine);
    }

    /** Trusts as the server did at first, whatever the server thinks later. */
    private TlsContexts client(Credential credential, TlsEngine engine)
            throws GeneralSecurityException {
        TrustStore always = samples.trust();
        SimClock still = new SimClock(SampleChains.NOW);
        return new TlsContexts(
                () -> credential, new ChainValidator(always), () -> MAP, still, engine);
    }

    /** What the server says, or "refused" where it says nothing and hangs up. */
    private static String said(Line line, TlsContexts client) throws Exception {
        try {
            return line.greeting(client, ExpectedPeer.host(Line.HOST)).text();
        } catch (ExecutionException e) {
            return "refused " + e.getCause();
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void everyFlawIsRefusedAndEverySoundChainIsTakenTheSecondTimeToo(
            TlsEngine serverEngine, TlsEngine clientEngine) throws Exception {
        try (Line line = new Line(server(serverEngine))) {
            for (int i = 0; i < SOUND_CHAINS; i++) {
                TlsContexts client = client(samples.make(Set.of()).credential(), clientEngine);
                assertThat(said(line, client)).startsWith("welcome bob");
                assertThat(said(line, client)).as("again").startsWith("welcome bob");
            }
            for (Flaw flaw : Flaw.values()) {
                Made made = samples.make(EnumSet.of(flaw));
                assertThat(made.flaws()).containsExactly(flaw);
                TlsContexts client = client(made.credential(), clientEngine);
                assertThat(said(line, client)).as("%s", flaw).startsWith("refused");
                assertThat(said(line, client)).as("%s again", flaw).startsWith("refused");
            }
        }
    }

    /** What may change between two connections of one session. */
    private enum Change {
        REVOCATION,
        MAP,
        TRUST,
        TIME
    }

    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void aSessionThatIsGoneOnWithIsJudgedAsOfNow(TlsEngine serverEngine, TlsEngine clientEngine)
            throws Exception {
        Credential bob = samples.authority().issueUser("/O=Grid/CN=Bob", SampleChains.NOW);
        Credential proxy =
                ProxyMaker.make(
                        bob,
                        ProxyMaker.Options.usual().withLifetime(Duration.ofMinutes(2)),
                        SampleChains.NOW);
        TrustStore before = trust.get();
        try (Line line = new Line(server(serverEngine))) {
            for (Change change : Change.values()) {
                TlsContexts client = client(proxy, clientEngine);
                for (int i = 0; i < 2; i++) {
                    assertThat(said(line, client)).as("before %s", change).startsWith("welcome");
                }
                switch (change) {
                    case TIME -> clock.advance(Duration.ofMinutes(3));
                    case REVOCATION -> trust.set(samples.trust(bob));
                    case MAP -> map.set(GridMap.empty());
                    case TRUST -> trust.set(new SampleChains(new Random(1)).trust());
                }
                assertThat(said(line, client)).as("after %s", change).startsWith("refused");
                trust.set(before);
                map.set(MAP);
            }
        }
    }
}
