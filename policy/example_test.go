package policy_test

import (
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/policy"
)

// The zero Policy is the public Internet. Rules decide by what an address says; a
// Gate decides again, by what the host's name stands for when it is connected to.
func Example() {
	p := policy.Policy{
		Allow:   []string{"*.shop.example", "127.0.0.1:8080"},
		Deny:    []string{"ads.shop.example"},
		Private: []string{"127.0.0.1:8080"},
	}
	rules, err := p.Compile()
	if err != nil {
		log.Fatal(err)
	}
	for _, address := range []string{
		"https://www.shop.example/cart",
		"https://ads.shop.example/",
		"http://127.0.0.1:8080/",
		"http://0x7f.1:8080/", // the same to a browser
		"http://127.0.0.1:9090/",
		"file:///etc/passwd",
	} {
		fmt.Println(address, rules.CheckURL(address))
	}
	// Output:
	// https://www.shop.example/cart <nil>
	// https://ads.shop.example/ refused by policy: ads.shop.example is denied; it is the entry "ads.shop.example" of Policy.Deny
	// http://127.0.0.1:8080/ <nil>
	// http://0x7f.1:8080/ <nil>
	// http://127.0.0.1:9090/ refused by policy: 127.0.0.1 is not among the allowed hosts; to allow it, add "127.0.0.1" to Policy.Allow
	// file:///etc/passwd refused by policy: file: addresses are not opened; to open them, add "file" to Policy.Schemes
}
