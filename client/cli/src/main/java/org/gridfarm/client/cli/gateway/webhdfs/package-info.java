/**
 * {@code /webhdfs/v1/...}: the REST interface of HDFS (Hadoop 3.5, "WebHDFS REST API"), as clients
 * of Hadoop and others speak it. {@link WebHdfs} finds the {@link Operation}; what it does is in
 * the files beside.
 */
@NullMarked
package org.gridfarm.client.cli.gateway.webhdfs;

import org.jspecify.annotations.NullMarked;
