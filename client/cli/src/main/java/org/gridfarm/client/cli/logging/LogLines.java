package org.gridfarm.client.cli.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;

import java.nio.charset.StandardCharsets;

/**
 * Found by logback as a service. System properties, which the launcher sets for a daemon:
 *
 * <ul>
 *   <li>{@code gf.log.level}: what our own code logs from; WARN
 *   <li>{@code gf.component}: the name in the line, such as {@code metaserver} or {@code n1};
 *       {@code gf}
 *   <li>{@code gf.log.format}: {@code line} or {@code json}
 *   <li>{@code logback.configurationFile}: an XML file instead of all this, as logback knows it
 * </ul>
 *
 * <p>Whoever works for a request puts its id into the MDC as {@code request}.
 */
public final class LogLines extends ContextAwareBase implements Configurator {
    /**
     * Time, level, component, request, class: message, and the stack of a defect in the same line.
     */
    private static final String LINE =
            "%%d{\"yyyy-MM-dd'T'HH:mm:ss.SSS'Z'\", UTC} %%-5level %s %%X{request:--} %%logger{0}:"
                    + " %%replace(%%msg){'[\\r\\n]+', ' '}%%replace( %%ex{20}){'\\s*[\\r\\n]+\\s*', ' | '}%%nopex%%n";

    @Override
    public ExecutionStatus configure(LoggerContext logging) {
        if (System.getProperty("logback.configurationFile") != null
                || LogLines.class.getResource("/logback-test.xml") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(logging);
        stderr.setName("stderr");
        stderr.setTarget("System.err");
        stderr.setEncoder(encoder(logging));
        stderr.start();

        logging.getLogger("ROOT").addAppender(stderr);
        logging.getLogger("ROOT").setLevel(Level.WARN);
        logging.getLogger("org.gridfarm")
                .setLevel(Level.toLevel(System.getProperty("gf.log.level", ""), Level.WARN));
        // These report every lost connection as an error, and try again.
        logging.getLogger("org.apache.zookeeper").setLevel(Level.ERROR);
        logging.getLogger("org.apache.curator").setLevel(Level.ERROR);
        // A machine without network but to itself is none of a user's concern.
        logging.getLogger("io.netty.util.internal.MacAddressUtil").setLevel(Level.ERROR);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext logging) {
        if (System.getProperty("gf.log.format", "line").equals("json")) {
            JsonEncoder json = new JsonEncoder();
            json.setContext(logging);
            json.start();
            return json;
        }
        PatternLayoutEncoder lines = new PatternLayoutEncoder();
        lines.setContext(logging);
        lines.setCharset(StandardCharsets.UTF_8);
        lines.setPattern(LINE.formatted(System.getProperty("gf.component", "gf")));
        lines.start();
        return lines;
    }
}
