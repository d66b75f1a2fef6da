package org.gridfarm.protocol.observe;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

import org.slf4j.LoggerFactory;

/**
 * Sets what this program's own code logs from. For daemons: a library leaves its user's logging
 * alone.
 */
public final class LogLevel {
    private LogLevel() {}

    /** One of ERROR, WARN, INFO, DEBUG, TRACE; without logback nothing happens. */
    public static void set(String level) {
        if (LoggerFactory.getLogger("org.gridfarm") instanceof Logger logger)
            logger.setLevel(Level.toLevel(level, Level.INFO));
    }
}
