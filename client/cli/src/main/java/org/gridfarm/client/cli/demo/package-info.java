/**
 * {@code gf demo}: a whole farm at work on real files, from nothing to a lost node and its copies
 * made again. Every figure it prints was measured in that run.
 */
@NullMarked
package org.gridfarm.client.cli.demo;

import org.jspecify.annotations.NullMarked;
