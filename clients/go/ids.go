package svc

import (
	"encoding/hex"
	"math"
	"time"
)

// UUID is an identifier of 16 bytes; its text has the form of RFC 9562.
type UUID [16]byte

// ULID is an identifier of 16 bytes; its text has 26 characters of Crockford's base 32.
type ULID [16]byte

// XID is an identifier of 12 bytes; its text has 20 characters of base 32.
type XID [12]byte

// ParseUUID reads the text of an identifier, in either case of letters.
func ParseUUID(text string) (UUID, error) {
	var id UUID
	err := id.UnmarshalText([]byte(text))
	return id, err
}

// ParseULID reads the text of an identifier, in either case of letters.
func ParseULID(text string) (ULID, error) {
	var id ULID
	err := id.UnmarshalText([]byte(text))
	return id, err
}

// ParseXID reads the text of an identifier.
func ParseXID(text string) (XID, error) {
	var id XID
	err := id.UnmarshalText([]byte(text))
	return id, err
}

func (id UUID) String() string {
	text := make([]byte, 36)
	for i, at := range [5][2]int{{0, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 16}} {
		hex.Encode(text[2*at[0]+i:], id[at[0]:at[1]])
	}
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text)
}

// MarshalText gives the text of the identifier.
func (id UUID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the text of an identifier.
func (id *UUID) UnmarshalText(text []byte) error {
	plain := make([]byte, 0, 32)
	for i, c := range text {
		if (i == 8 || i == 13 || i == 18 || i == 23) && c == '-' {
			continue
		}
		plain = append(plain, c)
	}
	var found UUID
	if len(text) != 36 || len(plain) != 32 {
		return buildErrorf("%q is no uuid", text)
	}
	if _, err := hex.Decode(found[:], plain); err != nil {
		return buildErrorf("%q is no uuid", text)
	}
	*id = found
	return nil
}

const crockfordDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const xidDigits = "0123456789abcdefghijklmnopqrstuv"

// The digits of a number of len(id) bytes, `spare` bits of zero behind it.
func base32Text(id []byte, digits string, count, spare int) string {
	text := make([]byte, count)
	for i := range text {
		// Bits of the digit, counted from the end of the number.
		low := 5*(count-1-i) - spare
		value := 0
		for bit := 4; bit >= 0; bit-- {
			value <<= 1
			if at := low + bit; at >= 0 && at < 8*len(id) {
				value |= int(id[len(id)-1-at/8]>>(at%8)) & 1
			}
		}
		text[i] = digits[value]
	}
	return string(text)
}

// False for other characters, another length, or bits that the identifier does not have.
func base32Bytes(id []byte, text []byte, digits string, isAnyCase bool, count, spare int) bool {
	if len(text) != count {
		return false
	}
	for i, c := range text {
		if isAnyCase && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		value := -1
		for at := range digits {
			if digits[at] == c {
				value = at
			}
		}
		if value < 0 {
			return false
		}
		low := 5*(count-1-i) - spare
		for bit := range 5 {
			if value>>bit&1 == 0 {
				continue
			}
			at := low + bit
			if at < 0 || at >= 8*len(id) {
				return false
			}
			id[len(id)-1-at/8] |= 1 << (at % 8)
		}
	}
	return true
}

func (id ULID) String() string { return base32Text(id[:], crockfordDigits, 26, 0) }

// MarshalText gives the text of the identifier.
func (id ULID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the text of an identifier.
func (id *ULID) UnmarshalText(text []byte) error {
	var found ULID
	if !base32Bytes(found[:], text, crockfordDigits, true, 26, 0) {
		return buildErrorf("%q is no ulid", text)
	}
	*id = found
	return nil
}

func (id XID) String() string { return base32Text(id[:], xidDigits, 20, 4) }

// MarshalText gives the text of the identifier.
func (id XID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the text of an identifier.
func (id *XID) UnmarshalText(text []byte) error {
	var found XID
	if !base32Bytes(found[:], text, xidDigits, false, 20, 4) {
		return buildErrorf("%q is no xid", text)
	}
	*id = found
	return nil
}

// Identifiers come as their text, and as base64 where an expression has mixed columns and literals: the lengths differ.
var uuidCodec = &codec[UUID]{bytesType, func(b []byte, id UUID) ([]byte, error) {
	return appendBase64(b, id[:]), nil
}, func(d *decoder) (id UUID) {
	readID(d, id[:], 24, id.UnmarshalText)
	return id
}}

var ulidCodec = &codec[ULID]{bytesType, func(b []byte, id ULID) ([]byte, error) {
	return appendBase64(b, id[:]), nil
}, func(d *decoder) (id ULID) {
	readID(d, id[:], 24, id.UnmarshalText)
	return id
}}

var xidCodec = &codec[XID]{bytesType, func(b []byte, id XID) ([]byte, error) {
	return appendBase64(b, id[:]), nil
}, func(d *decoder) (id XID) {
	readID(d, id[:], 16, id.UnmarshalText)
	return id
}}

func readID(d *decoder, id []byte, base64Length int, parse func([]byte) error) {
	text := d.text()
	if d.err != nil {
		return
	}
	if len(text) != base64Length {
		if parse([]byte(text)) != nil {
			d.fail("an identifier")
		}
		return
	}
	if found, ok := decodeBase64(text); ok && len(found) == len(id) {
		copy(id, found)
		return
	}
	d.fail("an identifier")
}

// Milliseconds since 1970 as time.
var timeCodec = &codec[time.Time]{intType, func(b []byte, value time.Time) ([]byte, error) {
	if seconds := value.Unix(); seconds < math.MinInt64/1000 || seconds >= math.MaxInt64/1000 {
		return nil, buildErrorf("%s is beyond the milliseconds of an int64", value.UTC().Format(time.DateOnly))
	}
	return intCodec.write(b, value.UnixMilli())
}, func(d *decoder) time.Time { return time.UnixMilli(d.int64()).UTC() }}
