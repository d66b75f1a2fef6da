package org.gridfarm.client.cli;

import org.gridfarm.protocol.name.NameText;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * UTF-8 that gives the bytes of names back ({@link NameText}): what is printed, whatever the locale
 * says. It only writes. To a terminal it writes no control characters but ends of lines and tabs: a
 * name could otherwise move the cursor, change the title, or hide what stands beside it.
 */
final class NameCharset extends Charset {
    private static final int BYTES_MAX = 4; // of a character

    private final boolean toTerminal;

    NameCharset(boolean toTerminal) {
        super("X-Gridfarm-Names", new String[0]);
        this.toTerminal = toTerminal;
    }

    @Override
    public boolean contains(Charset other) {
        return StandardCharsets.UTF_8.contains(other);
    }

    @Override
    public CharsetDecoder newDecoder() {
        throw new UnsupportedOperationException("names are read by NameText");
    }

    @Override
    public CharsetEncoder newEncoder() {
        return new Encoder(this, toTerminal);
    }

    private static final class Encoder extends CharsetEncoder {
        private final boolean toTerminal;

        Encoder(Charset charset, boolean toTerminal) {
            super(charset, 1.1f, BYTES_MAX);
            this.toTerminal = toTerminal;
        }

        private boolean isShown(char one) {
            return !toTerminal || !Character.isISOControl(one) || one == '\n' || one == '\t';
        }

        /** A question mark is; asked otherwise, the decoder would have to tell. */
        @Override
        public boolean isLegalReplacement(byte[] replacement) {
            return true;
        }

        @Override
        protected CoderResult encodeLoop(CharBuffer in, ByteBuffer out) {
            while (in.hasRemaining()) {
                char first = in.get(in.position());
                int length = 1;
                if (Character.isHighSurrogate(first)) {
                    if (in.remaining() == 1) {
                        return CoderResult.UNDERFLOW;
                    }
                    length = Character.isLowSurrogate(in.get(in.position() + 1)) ? 2 : 1;
                }
                boolean half = length == 1 && Character.isSurrogate(first);
                if (half && !NameText.isByte(first)) {
                    return CoderResult.malformedForLength(1);
                }
                if (out.remaining() < BYTES_MAX) {
                    return CoderResult.OVERFLOW;
                }
                if (!isShown(first)) {
                    out.put((byte) '?');
                    in.position(in.position() + 1);
                    continue;
                }
                String character = in.subSequence(0, length).toString();
                out.put(first < 0x80 ? new byte[] {(byte) first} : NameText.bytes(character));
                in.position(in.position() + length);
            }
            return CoderResult.UNDERFLOW;
        }
    }
}
