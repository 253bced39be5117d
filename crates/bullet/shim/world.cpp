#include "shim.h"

#include <new>
#include <vector>
#include <memory>

#include "BulletCollision/BroadphaseCollision/btDbvtBroadphase.h"
#include "BulletCollision/CollisionDispatch/btCollisionDispatcher.h"
#include "BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h"
#include "BulletCollision/CollisionShapes/btCapsuleShape.h"
#include "BulletCollision/CollisionShapes/btCompoundShape.h"
#include "BulletCollision/CollisionShapes/btMultiSphereShape.h"
#include "BulletCollision/CollisionShapes/btSphereShape.h"
#include "BulletCollision/CollisionShapes/btStaticPlaneShape.h"
#include "BulletDynamics/Featherstone/btMultiBody.h"
#include "BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h"
#include "BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h"
#include "BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h"
#include "BulletDynamics/Featherstone/btMultiBodyJointMotor.h"
#include "BulletDynamics/Featherstone/btMultiBodyLinkCollider.h"

namespace {
btVector3 vec(const double v[3]) { return btVector3(v[0], v[1], v[2]); }
btQuaternion quat(const double q[4]) { return btQuaternion(q[0], q[1], q[2], q[3]); }

struct DynWorld : btMultiBodyDynamicsWorld {
	using btMultiBodyDynamicsWorld::btMultiBodyDynamicsWorld;
	void predictUnconstraintMotion(btScalar t) override { btDiscreteDynamicsWorld::predictUnconstraintMotion(t); }
};
struct OrFilter : btOverlapFilterCallback {
	bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
		return (a->m_collisionFilterGroup & b->m_collisionFilterMask) || (b->m_collisionFilterGroup & a->m_collisionFilterMask);
	}
};
}

struct tb_world {
	tb_settings settings;
	btDefaultCollisionConfiguration config;
	btCollisionDispatcher dispatcher{&config};
	OrFilter filter;
	btHashedOverlappingPairCache pairs;
	btDbvtBroadphase broadphase{&pairs};
	btMultiBodyConstraintSolver solver;
	DynWorld world{&dispatcher, &broadphase, &solver, &config};
	btMultiBody *floor, *robot;
	std::vector<btMultiBodyLinkCollider*> cols;
	btAlignedObjectArray<btQuaternion> q;
	btAlignedObjectArray<btVector3> m;

	btCollisionShape* make(const tb_shape& s) {
		if (s.kind == TB_SPHERE) return new btSphereShape(s.radius);
		if (s.kind == TB_SEGMENT) {
			btVector3 e[2] = {vec(s.from), vec(s.to)};
			btScalar r[2] = {s.radius, s.radius};
			return new btMultiSphereShape(e, r, 2);
		}
		return new btCapsuleShapeZ(s.radius, s.length);
	}
	btCollisionShape* compound(const tb_shape*& s, int n) {
		btCompoundShape* c = new btCompoundShape();
		for (int i = 0; i < n; i++, s++) {
			btTransform t(quat(s->rotation), vec(s->position));
			c->addChildShape(t, make(*s));
		}
		if (n == 1 && c->getChildTransform(0) == btTransform::getIdentity()) return c->getChildShape(0);
		return c;
	}
	void collide(btMultiBody* b, int link, btCollisionShape* shape, double friction, bool fixed, int group, int mask) {
		auto* col = new btMultiBodyLinkCollider(b, link);
		col->setCollisionShape(shape);
		btTransform t; t.setIdentity();
		col->setWorldTransform(t);
		world.addCollisionObject(col, group, mask);
		col->setFriction(friction);
		if (fixed) col->setCollisionFlags(col->getCollisionFlags() | btCollisionObject::CF_STATIC_OBJECT);
		if (link < 0) b->setBaseCollider(col);
		else { b->getLink(link).m_collider = col; b->getLink(link).m_flags |= BT_MULTIBODYLINKFLAGS_DISABLE_ALL_PARENT_COLLISION; }
		cols.push_back(col);
	}
	tb_world(const tb_settings& s, const tb_base& base, const tb_link* links, int n, const tb_shape* shapes) : settings(s) {
		pairs.setOverlapFilterCallback(&filter);
		broadphase.setVelocityPrediction(0);
		extern btScalar gDbvtMargin; gDbvtMargin = 0;
		auto& info = world.getSolverInfo();
		world.setGravity(btVector3(0, 0, s.gravity));
		info.m_erp2 = s.contact_erp;
		info.m_frictionERP = 0.2; info.m_linearSlop = 0.00001; info.m_numIterations = s.iterations; info.m_minimumSolverBatchSize = 0;
		info.m_warmstartingFactor = 0.1; info.m_leastSquaresResidualThreshold = 1e-7;
		world.getDispatchInfo().m_deterministicOverlappingPairs = true;

		floor = new btMultiBody(0, 0, btVector3(0, 0, 0), true, false);
		collide(floor, -1, new btStaticPlaneShape(btVector3(0, 0, 1), 0), s.floor_friction, true, 2, -1 ^ 2);
		floor->getBaseCollider()->setRestitution(s.floor_restitution);
		finish(floor);

		btCollisionShape* bs = compound(shapes, base.shapes);
		btVector3 inertia(0, 0, 0);
		if (base.mass) bs->calculateLocalInertia(base.mass, inertia);
		robot = new btMultiBody(n, base.mass, inertia, base.fixed, false);
		btTransform bt; bt.setIdentity(); bt.setOrigin(vec(base.position));
		robot->setBaseWorldTransform(bt);
		int mask = 0;
		collide(robot, -1, bs, base.friction, base.fixed, base.fixed ? 2 : 1, base.fixed ? (-1 ^ 2) : mask);
		std::vector<int> limits, motors;
		for (int i = 0; i < n; i++) {
			const tb_link& l = links[i];
			btCollisionShape* sh = compound(shapes, l.shapes);
			btVector3 in(0, 0, 0);
			if (l.mass) sh->calculateLocalInertia(l.mass, in);
			btQuaternion id(0, 0, 0, 1);
			if (l.joint == TB_WELD) robot->setupFixed(i, l.mass, in, l.parent, id, vec(l.parent_to_pivot), vec(l.pivot_to_centre));
			else if (l.joint == TB_SLIDE) robot->setupPrismatic(i, l.mass, in, l.parent, id, vec(l.axis), vec(l.parent_to_pivot), vec(l.pivot_to_centre), true);
			else robot->setupRevolute(i, l.mass, in, l.parent, id, vec(l.axis), vec(l.parent_to_pivot), vec(l.pivot_to_centre), true);
			if (l.limited) world.addMultiBodyConstraint(new btMultiBodyJointLimitConstraint(robot, i, l.lower, l.upper));
			collide(robot, i, sh, l.friction, false, 1, l.shapes ? mask : -1);
		}
		finish(robot);
		for (int i = 0; i < n; i++) if (links[i].joint != TB_WELD) {
			auto* motor = new btMultiBodyJointMotor(robot, i, 0, 0, 0);
			world.addMultiBodyConstraint(motor);
			motor->finalizeMultiDof();
		}
	}
	void finish(btMultiBody* b) {
		b->setHasSelfCollision(true);
		b->finalizeMultiDof();
		b->forwardKinematics(q, m);
		b->updateCollisionObjectWorldTransforms(q, m);
		world.addMultiBody(b);
	}
	void poses() { robot->forwardKinematics(q, m); robot->updateCollisionObjectWorldTransforms(q, m); }
};
struct tb_snapshot {
	btVector3 pos, vel, omega; btQuaternion rot;
	std::vector<double> qs, qds;
};

extern "C" {
tb_world* tb_world_new(const tb_settings* s, const tb_base* b, const tb_link* l, int n, const tb_shape* sh) { return new (std::nothrow) tb_world(*s, *b, l, n, sh); }
void tb_world_free(tb_world* w) { delete w; }
void tb_set_joint(tb_world* w, int link, double p, double v) { w->robot->setJointPos(link, p); w->robot->setJointVel(link, v); }
void tb_update_poses(tb_world* w) { w->poses(); }
void tb_set_torque(tb_world* w, int link, double t) { w->robot->addJointTorqueMultiDof(link, 0, t); }
void tb_step(tb_world* w) { w->world.stepSimulation(w->settings.time_step, w->settings.substeps, w->settings.time_step / w->settings.substeps); }
void tb_joint(const tb_world* w, int link, double o[2]) { o[0] = w->robot->getJointPos(link); o[1] = w->robot->getJointVel(link); }
void tb_position(const tb_world* w, int link, double o[3]) { btVector3 p = link < 0 ? w->robot->getBasePos() : w->robot->getLink(link).m_cachedWorldTransform.getOrigin(); o[0] = p[0]; o[1] = p[1]; o[2] = p[2]; }
void tb_rotation(const tb_world* w, int link, double o[4]) {
	btQuaternion r;
	if (link < 0) { btTransform tr; tr.setOrigin(w->robot->getBasePos()); tr.setRotation(w->robot->getWorldToBaseRot().inverse()); r = tr.getRotation(); }
	else r = w->robot->getLink(link).m_cachedWorldTransform.getRotation();
	for (int i = 0; i < 4; i++) o[i] = r[i];
}
void tb_velocity(const tb_world* w, int link, double o[3]) {
	btVector3 v;
	if (link < 0) v = w->robot->getBaseVel();
	else {
		btAlignedObjectArray<btVector3> om, lv; om.resize(w->robot->getNumLinks() + 1); lv.resize(w->robot->getNumLinks() + 1);
		w->robot->compTreeLinkVelocities(&om[0], &lv[0]);
		v = w->robot->getLink(link).m_cachedWorldTransform.getBasis() * lv[link + 1];
	}
	for (int i = 0; i < 3; i++) o[i] = v[i];
}
int tb_touches_floor(const tb_world* w, int link) {
	auto* d = const_cast<btCollisionDispatcher*>(&w->dispatcher);
	for (int i = 0; i < d->getNumManifolds(); i++) {
		auto* mf = d->getManifoldByIndexInternal(i);
		auto* a = btMultiBodyLinkCollider::upcast(mf->getBody0()); auto* b = btMultiBodyLinkCollider::upcast(mf->getBody1());
		if (a->m_multiBody == w->floor) std::swap(a, b);
		if (a->m_link == link && mf->getNumContacts()) return 1;
	}
	return 0;
}
void tb_inertia(const tb_world* w, int link, double o[3]) { btVector3 i = link < 0 ? w->robot->getBaseInertia() : w->robot->getLinkInertia(link); for (int k = 0; k < 3; k++) o[k] = i[k]; }
tb_snapshot* tb_save(const tb_world* w) {
	auto* s = new tb_snapshot; auto* r = w->robot;
	s->pos = r->getBasePos(); s->vel = r->getBaseVel(); s->omega = r->getBaseOmega(); s->rot = r->getWorldToBaseRot();
	for (int i = 0; i < r->getNumLinks(); i++) { bool j = r->getLink(i).m_dofCount; s->qs.push_back(j ? r->getJointPos(i) : 0); s->qds.push_back(j ? r->getJointVel(i) : 0); }
	return s;
}
void tb_restore(tb_world* w, const tb_snapshot* s) {
	auto* r = w->robot;
	r->setBasePos(s->pos); r->setBaseVel(s->vel); r->setBaseOmega(s->omega); r->setWorldToBaseRot(s->rot);
	for (int i = 0; i < r->getNumLinks(); i++) if (r->getLink(i).m_dofCount) { r->setJointPos(i, s->qs[i]); r->setJointVel(i, s->qds[i]); }
	w->poses();
	for (int i = 0; i < w->dispatcher.getNumManifolds(); i++) w->dispatcher.getManifoldByIndexInternal(i)->setNumContacts(0);
}
void tb_snapshot_free(tb_snapshot* s) { delete s; }
}
