import { useState } from "react"
import { createRoot } from "react-dom/client"
import { Button, ComboBox, Disclosure, DisclosurePanel, Heading, Input, Label, ListBox, ListBoxItem, NumberField, Group, Popover, Select, SelectValue, Switch, Tabs, TabList, Tab, TabPanel } from "react-aria-components"
function App() {
  const [s, set] = useState({ size: "", fruit: "", amount: 3, mail: false, tab: "orders", open: false })
  window.state = () => s
  const to = (k) => (v) => set((s) => ({ ...s, [k]: v }))
  return <div><Select onSelectionChange={to("size")}><Label>Size</Label><Button><SelectValue /></Button><Popover><ListBox><ListBoxItem id="s">Small</ListBoxItem><ListBoxItem id="l">Large</ListBoxItem></ListBox></Popover></Select>
    <ComboBox onInputChange={to("fruit")}><Label>Fruit</Label><Input /><Button>▼</Button><Popover><ListBox><ListBoxItem>Apple</ListBoxItem><ListBoxItem>Banana</ListBoxItem></ListBox></Popover></ComboBox>
    <NumberField value={s.amount} onChange={to("amount")}><Label>Amount</Label><Group><Button slot="decrement">-</Button><Input /><Button slot="increment">+</Button></Group></NumberField>
    <Switch onChange={to("mail")}>Mail me</Switch>
    <Tabs onSelectionChange={to("tab")}><TabList aria-label="Account"><Tab id="orders">Orders</Tab><Tab id="returns">Returns</Tab></TabList><TabPanel id="orders">No orders</TabPanel><TabPanel id="returns">No returns</TabPanel></Tabs>
    <Disclosure onExpandedChange={to("open")}><Heading><Button slot="trigger">Delivery</Button></Heading><DisclosurePanel>Two days</DisclosurePanel></Disclosure></div>
}
createRoot(app).render(<App />)
