package org.gridfarm.client.cli.console;

import java.time.Duration;

/** One page. Called from many threads; keeps nothing between calls. */
interface View {
    /** How often a page that is looked at is made again. */
    default Duration every() {
        return Duration.ofSeconds(2);
    }

    /** What stands in the head of the page. */
    String title(Asked asked);

    /**
     * What stands below the title.
     *
     * @throws org.gridfarm.protocol.error.FarmException where the farm did not answer, or refused
     */
    Html body(Asked asked, Viewer viewer);
}
