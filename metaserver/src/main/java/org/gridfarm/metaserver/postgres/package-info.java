/**
 * The truth in PostgreSQL: the schema and its migrations, the journal with its fence, the tables
 * that journal rows are folded into. The only room of the metaserver that speaks SQL.
 */
@NullMarked
package org.gridfarm.metaserver.postgres;

import org.jspecify.annotations.NullMarked;
