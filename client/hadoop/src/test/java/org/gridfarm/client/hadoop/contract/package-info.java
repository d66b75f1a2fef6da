/**
 * The contracts that Hadoop tests its own file systems by, on a farm: no class here is named as
 * Surefire looks for tests, since they need one. {@code HadoopContractsTest} in src/test runs
 * {@link org.gridfarm.client.hadoop.contract.ContractRun} with the shaded jar and the configuration
 * of a farm.
 */
@NullMarked
package org.gridfarm.client.hadoop.contract;

import org.jspecify.annotations.NullMarked;
