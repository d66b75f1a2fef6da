/**
 * How every process of an installation logs: to stderr, one event a line, UTC. Kept with the
 * command line, since a library must not bring its user a logging configuration. In code and not in
 * XML, whose reading would take longer than most commands.
 */
@NullMarked
package org.gridfarm.client.cli.logging;

import org.jspecify.annotations.NullMarked;
