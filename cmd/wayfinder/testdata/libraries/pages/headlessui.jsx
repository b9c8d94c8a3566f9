import { useState } from "react"
import { createRoot } from "react-dom/client"
import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions, Field, Label, Listbox, ListboxButton, ListboxOption, ListboxOptions, Menu, MenuButton, MenuItem, MenuItems, Switch } from "@headlessui/react"
function App() {
  const [s, set] = useState({ person: "Wade", fruit: "", mail: false, done: "" })
  const [query, ask] = useState("")
  window.state = () => s
  const to = (k) => (v) => set((s) => ({ ...s, [k]: v }))
  return <div><Field><Label>Person</Label><Listbox value={s.person} onChange={to("person")}><ListboxButton>{s.person}</ListboxButton><ListboxOptions anchor="bottom">{["Wade", "Kenton", "Tom"].map((p) => <ListboxOption key={p} value={p}>{p}</ListboxOption>)}</ListboxOptions></Listbox></Field>
    <Field><Label>Fruit</Label><Combobox value={s.fruit} onChange={to("fruit")} onClose={() => ask("")}><ComboboxInput onChange={(e) => ask(e.target.value)} /><ComboboxOptions anchor="bottom">{["Apple", "Banana"].filter((f) => f.toLowerCase().includes(query.toLowerCase())).map((f) => <ComboboxOption key={f} value={f}>{f}</ComboboxOption>)}</ComboboxOptions></Combobox></Field>
    <Field><Label>Mail me</Label><Switch checked={s.mail} onChange={to("mail")} style={{ width: 40, height: 20 }} /></Field>
    <Menu><MenuButton>Options</MenuButton><MenuItems anchor="bottom"><MenuItem><button onClick={() => to("done")("archived")}>Archive</button></MenuItem><MenuItem><button onClick={() => to("done")("deleted")}>Delete</button></MenuItem></MenuItems></Menu></div>
}
createRoot(app).render(<App />)
