package org.gridfarm.protocol.observe;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * The audit lines of a daemon ({@link org.gridfarm.protocol.rpc.Audit}) in a file of their own,
 * mode 600, which grows to 64 MB and is kept nine times over. In it, and nowhere else, is also who
 * was let in as whom.
 */
public final class AuditLog {
    private static final String LOGGER = "org.gridfarm.audit";
    private static final String LINE =
            "time=%d{\"yyyy-MM-dd'T'HH:mm:ss.SSS'Z'\", UTC} %msg%nopex%n";
    private static final FileSize BYTES_MAX = new FileSize(64 << 20);
    private static final int KEPT = 9;

    private AuditLog() {}

    /**
     * From now on to the file; without one, or without logback, the lines stay in the daemon's log.
     *
     * @return ends it
     * @throws FarmException BAD_CONFIGURATION where the file cannot be written
     */
    public static Runnable to(Optional<Path> file) {
        if (file.isEmpty() || !(LoggerFactory.getLogger(LOGGER) instanceof Logger logger)) {
            return () -> {};
        }
        requireWritable(file.get());
        LoggerContext logging = logger.getLoggerContext();
        PatternLayoutEncoder lines = new PatternLayoutEncoder();
        lines.setContext(logging);
        lines.setCharset(StandardCharsets.UTF_8);
        lines.setPattern(LINE);
        lines.start();
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(logging);
        appender.setName("audit");
        appender.setFile(file.get().toString());
        appender.setEncoder(lines);
        FixedWindowRollingPolicy names = new FixedWindowRollingPolicy();
        names.setContext(logging);
        names.setParent(appender);
        names.setFileNamePattern(file.get() + ".%i");
        names.setMaxIndex(KEPT);
        names.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(logging);
        size.setMaxFileSize(BYTES_MAX);
        size.start();
        appender.setRollingPolicy(names);
        appender.setTriggeringPolicy(size);
        appender.start();
        logger.addAppender(appender);
        logger.setAdditive(false);
        logger.setLevel(Level.DEBUG);
        return () -> {
            logger.detachAppender(appender);
            appender.stop();
            logger.setAdditive(true);
            logger.setLevel(null);
        };
    }

    private static void requireWritable(Path file) {
        try {
            if (!Files.exists(file)) {
                Files.createFile(
                        file,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
            }
            if (Files.isRegularFile(file) && Files.isWritable(file)) return;
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "open audit log",
                    file.toString(),
                    "not a file that this account may write");
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "open audit log",
                    file.toString(),
                    "it cannot be made: " + e,
                    e);
        }
    }
}
