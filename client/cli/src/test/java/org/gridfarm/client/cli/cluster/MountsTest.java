package org.gridfarm.client.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

class MountsTest {
    private static final String WAITS =
            "40 27 0:39 / /gridfarm rw,relatime shared:21 - autofs systemd-1 rw,fd=29,pgrp=1,direct";
    private static final String MOUNTED =
            "61 40 0:52 / /gridfarm rw,relatime - fuse.gf gf rw,user_id=0,group_id=0";
    private static final String SPACED =
            "62 27 0:53 / /my\\040farm rw,relatime - fuse.gf gf rw,user_id=0,group_id=0";
    private static final Path AT = Path.of("/gridfarm");

    @Test
    void anAutomountPointThatWaitsIsNoMount() {
        assertThat(Mounts.isMounted(List.of(WAITS), AT)).isFalse();
        assertThat(Mounts.isAutomountPoint(List.of(WAITS), AT)).isTrue();
    }

    @Test
    void autofsWaitsAboveWhatItMounts() {
        String disk = "63 40 8:1 / /gridfarm/disk rw,relatime - ext4 /dev/sdb1 rw";
        assertThat(Mounts.isAutomountPoint(List.of(WAITS), AT.resolve("farm"))).isTrue();
        assertThat(Mounts.isAutomountPoint(List.of(WAITS), Path.of("/gridfarms"))).isFalse();
        Path onDisk = AT.resolve("disk/farm");
        assertThat(Mounts.isAutomountPoint(List.of(WAITS, disk), onDisk)).isFalse();
    }

    @Test
    void whatIsMountedOnAnAutomountPointIsOne() {
        assertThat(Mounts.isMounted(List.of(WAITS, MOUNTED), AT)).isTrue();
        assertThat(Mounts.isAutomountPoint(List.of(MOUNTED), AT)).isFalse();
    }

    @Test
    void aPlaceIsItsWholePath() {
        assertThat(Mounts.isMounted(List.of(MOUNTED), Path.of("/gridfarm/below"))).isFalse();
        assertThat(Mounts.isMounted(List.of(SPACED), Path.of("/my farm"))).isTrue();
    }
}
