/**
 * Properties that must hold for random input: a small runner on JUnit's test templates. Seeds are
 * shown and replayed with {@code -Dgf.seed=}.
 */
@NullMarked
package org.gridfarm.campaign.property;

import org.jspecify.annotations.NullMarked;
