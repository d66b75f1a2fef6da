/**
 * The database as a yardstick: what a transaction that inserts one row costs on the PostgreSQL the
 * farm lives on. The only room of the command line that speaks SQL.
 */
@NullMarked
package org.gridfarm.client.cli.bench.postgres;

import org.jspecify.annotations.NullMarked;
