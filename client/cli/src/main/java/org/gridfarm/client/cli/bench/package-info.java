/**
 * Measuring a farm ({@code gf bench AREA}): rows of figures with their yardsticks, loads of many
 * threads, and the farm they run against. What is measured is in a room for each area; here is what
 * the areas share. A figure and its yardstick come from the same run, one right after the other.
 */
@NullMarked
package org.gridfarm.client.cli.bench;

import org.jspecify.annotations.NullMarked;
