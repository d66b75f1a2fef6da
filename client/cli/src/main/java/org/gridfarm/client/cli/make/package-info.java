/**
 * {@code gf run --make}: a file of rules, the steps that they make of the files there are, and
 * which of these are out of date. {@link MakeFile}, {@link Steps} and {@link Progress} are pure;
 * {@link MakeRun} asks the farm and submits what is to be run.
 */
@NullMarked
package org.gridfarm.client.cli.make;

import org.jspecify.annotations.NullMarked;
