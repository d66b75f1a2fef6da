package org.gridfarm.metaserver.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.Credentials;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

/** What names are in the farm: of this host, whose root is 0 everywhere. */
class AccountNumbersTest {
    private final Accounts accounts =
            new Accounts(
                    Map.of("ann", Credentials.newBuilder().setUid(5001).setGid(50).build()),
                    Clock.system());

    @Test
    void theConfigurationCountsFirstAndUnknownNamesAreLeftOut() {
        assertThat(accounts.users(List.of("ann", "root", "no-such-user-here")))
                .isEqualTo(Map.of("ann", 5001, "root", 0));
        assertThat(accounts.groups(List.of("root", "no-such-group"))).isEqualTo(Map.of("root", 0));
    }

    /** getent takes numbers and options, too, and without a name it tells all. */
    @Test
    void whatIsNoNameIsNotAskedFor() {
        assertThat(accounts.users(List.of("0", "--help", "", "a:b", "-s"))).isEmpty();
        assertThat(accounts.groups(List.of())).isEmpty();
    }
}
