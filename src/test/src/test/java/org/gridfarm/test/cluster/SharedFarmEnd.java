package org.gridfarm.test.cluster;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Ends the farm that test classes share, after the last test of a JVM. */
public final class SharedFarmEnd implements LauncherSessionListener {
    @Override
    public void launcherSessionClosed(LauncherSession session) {
        try {
            TestFarm.endShared();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
