package org.gridfarm.protocol.auth.x509;

/** What to make of an authority without a current revocation list. */
public enum RevocationPolicy {
    /**
     * Use the lists that are there, out of date ones too; an authority without a list revokes
     * nothing.
     */
    WHEN_PRESENT,
    /**
     * Refuse every certificate whose authority has no current list. A stopped fetch-crl locks
     * everybody out.
     */
    REQUIRED
}
