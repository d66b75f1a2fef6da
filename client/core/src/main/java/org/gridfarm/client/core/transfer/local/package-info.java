/**
 * The storage node on this host and its replicas as plain files: those it has granted, those it has
 * staged for new files, and the grant to write into one. Knows no open files.
 */
@NullMarked
package org.gridfarm.client.core.transfer.local;

import org.jspecify.annotations.NullMarked;
