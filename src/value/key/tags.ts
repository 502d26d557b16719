/** The first byte of each member of a key: it orders NULL before every value and says where the member ends. */

export const nullTag = 0x01;
export const falseTag = 0x02;
export const trueTag = 0x03;
export const int64Tag = 0x04;
export const float64Tag = 0x05;
export const textTag = 0x06;
export const bytesTag = 0x07;

/**
 * Ends text and bytes. Inside them 0x00 is written as `escapeByte 0x01` and 0x01 as `escapeByte 0x02`, so that the first
 * 0x00 is the end: nothing has to be read beyond it, and the order is kept.
 */
export const terminator = 0x00;
export const escapeByte = 0x01;
