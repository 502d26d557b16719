/** The first byte of each member of a key. The byte orders NULL before every value and determines where the member ends. */

export const nullTag = 0x01;
export const falseTag = 0x02;
export const trueTag = 0x03;
export const int64Tag = 0x04;
export const float64Tag = 0x05;
export const textTag = 0x06;
export const bytesTag = 0x07;

/**
 * Terminates text and bytes. Within them, 0x00 is encoded as `escapeByte 0x01` and 0x01 as `escapeByte 0x02`. The first 0x00 is therefore
 * the end, so that a reader needs no later bytes, and the order is preserved.
 */
export const terminator = 0x00;
export const escapeByte = 0x01;
