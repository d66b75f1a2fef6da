package org.gridfarm.client.cli.console;

/**
 * Who looks.
 *
 * @param name for the audit line: the name of a certificate, {@code token}, or {@code anyone}
 * @param formKey that forms have to send back, so that no other site can send them
 * @param mayAct whether this console was started with actions
 */
record Viewer(String name, String formKey, boolean mayAct) {}
