package db

import (
	"errors"
	"strings"
	"testing"
)

func TestRowsComeInAnyOrderOfColumns(t *testing.T) {
	read := func(text string) (User, error) {
		var user User
		err := decode(&compiled{}, []byte(text), func(d *decoder) { genReadUser(d, &user) })
		return user, err
	}
	want := User{ID: 9007199254740993, Handle: "a\"\U0001F600/", Bio: Some("")}
	for _, text := range []string{
		`{"id":9007199254740993,"handle":"a\"\ud83d\ude00\/","bio":""}`,
		"{ \"bio\" : \"\" ,\n\t\"new\": [1,{\"a\":null}], \"h\\u0061ndle\":\"a\\u0022\U0001F600/\",\r\n\"id\": 9007199254740993 } ",
	} {
		got, err := read(text)
		if err != nil || got != want {
			t.Errorf("%#v %v", got, err)
		}
	}
	for _, text := range []string{
		``, `{`, `{"id":1}`, `{"id":1,"handle":"a","bio":null`, `{"id":1,"handle":"a","bio":null}x`, `{"id":1.5,"handle":"a","bio":null}`,
		`{"id":9223372036854775808,"handle":"a","bio":null}`, `{"id":"1","handle":"a","bio":null}`, `{"id":null,"handle":"a","bio":null}`,
		`{"id":1,"handle":null,"bio":null}`, `{"id":1,"handle":"a\x","bio":null}`, `{"id":1,"handle":"a` + "\n" + `","bio":null}`, `[]`, `null`,
		`{"id":1,"handle":"a","bio":nul}`, `{"id":1 "handle":"a","bio":null}`, `{"id":1,"handle":"a","bio":null,"x":}`,
		`{"id":1,"handle":"a","bio":null,"x":` + strings.Repeat("[", 100000) + `}`,
	} {
		var wrong *DecodeError
		if _, err := read(text); !errors.As(err, &wrong) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	uuid, err := ParseUUID("01890A5D-ac96-774b-bcce-b302099a8057")
	same(t, err, nil)
	same(t, uuid.String(), "01890a5d-ac96-774b-bcce-b302099a8057")
	ulid, err := ParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	same(t, err, nil)
	same(t, ulid.String(), "01ARZ3NDEKTSV4RRFFQ69G5FAV")
	same(t, ulid, ULID{0x01, 0x56, 0x3e, 0x3a, 0xb5, 0xd3, 0xd6, 0x76, 0x4c, 0x61, 0xef, 0xb9, 0x93, 0x02, 0xbd, 0x5b})
	xid, err := ParseXID("9m4e2mr0ui3e8a215n4g")
	same(t, err, nil)
	same(t, xid.String(), "9m4e2mr0ui3e8a215n4g")
	same(t, xid, XID{0x4d, 0x88, 0xe1, 0x5b, 0x60, 0xf4, 0x86, 0xe4, 0x28, 0x41, 0x2d, 0xc9})
	for _, text := range []string{"", "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAU"} {
		if _, err := ParseULID(text); err == nil {
			t.Error(text)
		}
	}
	for _, text := range []string{"9m4e2mr0ui3e8a215n4h", "9M4e2mr0ui3e8a215n4g", "9m4e2mr0ui3e8a215n4"} {
		if _, err := ParseXID(text); err == nil {
			t.Error(text)
		}
	}
	for _, text := range []string{"01890a5dac96774bbcceb302099a8057", "01890a5d-ac96-774b-bcce-b302099a805", "01890a5d-ac96-774b-bcce+b302099a8057"} {
		if _, err := ParseUUID(text); err == nil {
			t.Error(text)
		}
	}
	// An expression of a column and a literal gives the one as text and the other as base64.
	for _, text := range []string{`"01890a5d-ac96-774b-bcce-b302099a8057"`, `"AYkKXayWd0u8zrMCCZqAVw=="`} {
		var got UUID
		err := decode(&compiled{}, []byte(text), func(d *decoder) { got = uuidCodec.read(d) })
		same(t, err, nil)
		same(t, got, uuid)
	}
}
