/**
 * What the server keeps about those who call it: who they are, the first answers to their commands,
 * and the files they have open. Owned by the event thread, except where a class says otherwise.
 */
@NullMarked
package org.gridfarm.metaserver.session;

import org.jspecify.annotations.NullMarked;
