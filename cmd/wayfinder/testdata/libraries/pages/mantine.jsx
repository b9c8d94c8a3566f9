import { useState } from "react"
import { createRoot } from "react-dom/client"
import { Accordion, MantineProvider, MultiSelect, NumberInput, SegmentedControl, Select, Switch, Tabs } from "@mantine/core"
import "@mantine/core/styles.css"
function App() {
  const [s, set] = useState({ size: "", fruits: [], amount: 3, mail: false, view: "List", tab: "orders", open: null })
  window.state = () => s
  const to = (k) => (v) => set((s) => ({ ...s, [k]: v }))
  return <MantineProvider env="test"><Select label="Size" data={["Small", "Large"]} onChange={to("size")} /><MultiSelect label="Fruits" data={["Apple", "Banana", "Grape"]} onChange={to("fruits")} />
    <NumberInput label="Amount" value={s.amount} onChange={to("amount")} /><Switch label="Mail me" onChange={(e) => to("mail")(e.currentTarget.checked)} /><SegmentedControl data={["List", "Map"]} onChange={to("view")} />
    <Tabs value={s.tab} onChange={to("tab")}><Tabs.List><Tabs.Tab value="orders">Orders</Tabs.Tab><Tabs.Tab value="returns">Returns</Tabs.Tab></Tabs.List></Tabs>
    <Accordion onChange={to("open")}><Accordion.Item value="delivery"><Accordion.Control>Delivery</Accordion.Control><Accordion.Panel>Two days</Accordion.Panel></Accordion.Item></Accordion></MantineProvider>
}
createRoot(app).render(<App />)
