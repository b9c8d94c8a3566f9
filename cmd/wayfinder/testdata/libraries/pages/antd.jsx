import { useState } from "react"
import { createRoot } from "react-dom/client"
import { Collapse, Select, Switch, Tabs, InputNumber, Rate } from "antd"
function App() {
  const [s, set] = useState({ size: "", mail: false, tab: "orders", amount: 3, stars: 0, open: [] })
  window.state = () => s
  const to = (k) => (v) => set((s) => ({ ...s, [k]: v }))
  return <div><label htmlFor="size">Size</label><Select id="size" style={{ width: 120 }} onChange={to("size")} options={[{ value: "s", label: "Small" }, { value: "l", label: "Large" }]} />
    <Switch aria-label="Mail me" onChange={to("mail")} /><InputNumber aria-label="Amount" value={s.amount} onChange={to("amount")} /><Rate onChange={to("stars")} />
    <Tabs activeKey={s.tab} onChange={to("tab")} items={[{ key: "orders", label: "Orders" }, { key: "returns", label: "Returns" }]} /><Collapse onChange={to("open")} items={[{ key: "delivery", label: "Delivery", children: "Two days" }]} /></div>
}
createRoot(app).render(<App />)
