/**
 * What somebody who is to help needs to see of a farm and a host, in one archive without secrets
 * ({@code gf support-bundle}). A part that cannot be had is told in the archive and keeps none of
 * the others out.
 */
@NullMarked
package org.gridfarm.client.cli.support;

import org.jspecify.annotations.NullMarked;
