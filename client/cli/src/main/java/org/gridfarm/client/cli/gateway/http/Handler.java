package org.gridfarm.client.cli.gateway.http;

import java.io.IOException;

/** Answers requests, each on a virtual thread of its own; it may block. */
@FunctionalInterface
public interface Handler {
    /**
     * @throws IOException where the connection ended or stands still: nobody is there to be told.
     *     Whatever else is thrown is a defect and is answered with 500
     */
    void answer(Request request, Answer answer) throws IOException;
}
