package org.gridfarm.metaserver.token;

import org.gridfarm.protocol.auth.Current;

/** An issuer with his keys as they are now, which say nothing of the tokens of another. */
record KnownIssuer(TokenIssuer issuer, Current<IssuerKeys> keys) {}
