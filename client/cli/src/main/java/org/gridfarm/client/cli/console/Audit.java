package org.gridfarm.client.cli.console;

import com.sun.net.httpserver.HttpExchange;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who came in and who did what by way of the console, as the daemons' audit lines are written: to
 * them all of it is the console's own user.
 */
final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger("org.gridfarm.audit");

    private Audit() {}

    static void done(String who, HttpExchange exchange, String what, String on) {
        LOG.info(
                "result=done who=\"{}\" from={} what=\"console {}\" on=\"{}\"",
                plain(who),
                from(exchange),
                plain(what),
                plain(on));
    }

    static void refused(String who, HttpExchange exchange, String what, String why) {
        LOG.info(
                "result=refused who=\"{}\" from={} what=\"console {}\" on=\"\" why=\"{}\"",
                plain(who),
                from(exchange),
                plain(what),
                plain(why));
    }

    private static String from(HttpExchange exchange) {
        return exchange.getRemoteAddress().getAddress().getHostAddress()
                + ":"
                + exchange.getRemoteAddress().getPort();
    }

    /** What others chose ends no line and no quotes. */
    private static String plain(String text) {
        return text.replaceAll("[\\p{Cntrl}\"\\\\]", "?");
    }
}
