/**
 * Who sends a request of S3, and whether it came as he sent it: access keys, signatures of version
 * 4, checksums of bodies. Knows no farm.
 */
@NullMarked
package org.gridfarm.client.cli.gateway.s3.auth;

import org.jspecify.annotations.NullMarked;
