/**
 * What a metaserver promises whoever calls it, tried on a real one and on the one in memory that
 * the tests of the client library run against: what those find holds of the farm, too.
 */
@NullMarked
package org.gridfarm.test.contract;

import org.jspecify.annotations.NullMarked;
